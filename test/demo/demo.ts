import { styleText } from 'node:util';
import { buildBinary } from '../../build/binary/binary.ts';
import { buildController } from '../../build/binary/controller-binary.ts';
import { type Lab, type Machine, openLab, prepareMachines, requirements } from '../lab/lab.ts';
import { openUserLab } from '../lab/open-lab.ts';
import type { ClusterData } from '../support/cluster-api/cluster-data.ts';
import { newCluster } from '../support/cluster-api/lab-cluster.ts';
import { controlPlaneInit, workerJoin } from '../support/cluster-api/user-data.ts';
import { bootMachine, kubectl, waitForReady } from '../support/machines.ts';
import { BOOTSTRAP_SUCCEEDED, Management, NODE_ATTESTED } from './management.ts';
import { begin, POLICY, Proofs } from './proofs.ts';
import { recordMachine, recordStatus } from './record.ts';

// npm run demo [-- --keep] [--record]: machines report to slipway-controller in a management cluster: a control plane
// (slipway.service), a worker (cloud-init with Slipway as its kubeadm), a worker that fails for a real reason; and three with
// a TPM each: one joins with nothing secret in its user data, two are refused. --record draws the README's pictures from this run.

const CONTROL_PLANE_IP = '10.99.1.10';

const say = (text: string) => process.stdout.write(`${styleText('bold', text)}\n`);

interface DemoOptions {
  keep: boolean;
  record: boolean;
}

async function demo({ keep, record }: DemoOptions): Promise<number> {
  const { ok, missing } = await requirements();
  if (!ok) {
    process.stdout.write(
      `The demo needs machines of its own, which cannot be made here:\n${missing.map((line) => `  - ${line}\n`).join('')}` +
        'What still runs: npm run test:unit, npm run build, and dist/slipway-linux-x64 plan --user-data FILE.\n',
    );
    return 1;
  }
  say(
    'Building slipway, and preparing machines meanwhile (the first time takes minutes; later ones come from a cache)',
  );
  const progress = { say: (line: string) => process.stdout.write(`  ${line}\n`) };
  // What of it is not there yet is waited for where a machine is made of it, which then says what went wrong.
  prepareMachines(progress.say).catch(() => undefined);
  process.stdout.write(`${await buildBinary()}\n${await buildController()}\n`);
  const lab = keep ? await openUserLab(progress) : await openLab(progress);
  try {
    await show(lab, record);
    if (keep)
      say(
        'The machines and the API server that manages them are kept, the controller is not. Look around: npm run lab -- ls; take them away: npm run lab -- down --all',
      );
    return 0;
  } finally {
    if (!keep) {
      say('Taking everything away');
      await lab.close();
    }
  }
}

async function show(lab: Lab, record: boolean): Promise<void> {
  const cluster = await newCluster(CONTROL_PLANE_IP, 'demo');
  say('A management cluster: etcd, kube-apiserver, the CRDs of Cluster API, slipway-controller');
  const management = await Management.start(await lab.controlPlane());
  try {
    const failed = await bootstrapAll(lab, cluster, management);
    if (!record) return;
    await recordStatus(failed);
    recordMachine(await management.kubectl('describe', 'machine', failed.name));
  } finally {
    await management.close();
  }
}

/** @returns the machine that fails */
async function bootstrapAll(lab: Lab, cluster: ClusterData, management: Management): Promise<Machine> {
  await management.apply(POLICY);
  const proofs = new Proofs(lab, management, cluster);
  // It boots meanwhile, and so does what follows it; whoever waits for them hears what went wrong.
  const honest = proofs.honest();
  honest.catch(() => undefined);
  say('cp1 boots: no cloud-init; slipway.service finds the user data and runs kubeadm init');
  const userData = controlPlaneInit(cluster, CONTROL_PLANE_IP, {
    preKubeadmCommands: ['hostname', 'echo "127.0.0.1 localhost" >>/etc/hosts'],
    files: await management.addMachine('cp1'),
  });
  const controlPlane = await bootMachine(lab, 'cp1', {
    role: 'control-plane',
    ip: CONTROL_PLANE_IP,
    userData,
    mode: 'service',
    report: true,
  });
  await follow(controlPlane);
  const withTpm = await honest;
  await begin(withTpm);
  const refused = Promise.all([proofs.borrower(withTpm), proofs.bootedOtherwise()]);
  refused.catch(() => undefined);
  say('w1 boots: real cloud-init applies the user data; the kubeadm that it calls is Slipway');
  const worker = await bootMachine(lab, 'w1', {
    role: 'worker',
    userData: workerJoin(cluster, { files: await management.addMachine('w1') }),
    mode: 'shim',
    report: true,
  });
  await follow(worker);
  say('w2 boots: its user data names another cluster by the hash of its CA');
  const stranger = await bootMachine(lab, 'w2', {
    role: 'worker',
    userData: workerJoin(cluster, {
      files: await management.addMachine('w2'),
      discovery: { caCertHash: `sha256:${'0'.repeat(64)}` },
    }),
    mode: 'service',
    report: true,
  });
  await follow(stranger, 1);
  say(
    'w3 booted meanwhile: sealed user data, opened for its TPM; w4 borrows its TPM; w5 has another boot loader',
  );
  await follow(withTpm);
  await refused;
  say('Waiting for the nodes to be Ready');
  await waitForReady(controlPlane, ['cp1', 'w1', 'w3']);
  say('$ kubectl get nodes');
  process.stdout.write(await kubectl(controlPlane, 'get', 'nodes', '-o', 'wide'));
  await Promise.all(['cp1', 'w1', 'w2', 'w3'].map((name) => management.verdict(name, BOOTSTRAP_SUCCEEDED)));
  await Promise.all(['w3', 'w4', 'w5'].map((name) => management.verdict(name, NODE_ATTESTED)));
  for (const condition of [BOOTSTRAP_SUCCEEDED, NODE_ATTESTED]) {
    say(`$ kubectl get machines    (in the management cluster; the condition ${condition})`);
    process.stdout.write(await management.conditions(condition));
  }
  say('$ slipway-controller nodes');
  process.stdout.write(await management.read('nodes'));
  say('$ slipway-controller node w2');
  process.stdout.write(await management.read('node', 'w2'));
  return stranger;
}

/** Live progress: `slipway status --wait` on the machine, on this terminal. */
async function follow(machine: Machine, expected = 0): Promise<void> {
  const child = machine.spawn(['slipway', 'status', '--wait', '--timeout', '5m'], {
    stdio: 'inherit',
    env: { TERM: process.env.TERM ?? 'dumb' },
  });
  const { exitCode: code } = await child;
  if (code === expected) return;
  process.stdout.write(`${await machine.logs()}\n`);
  throw new Error(
    `slipway on ${machine.name} ended with status ${code}, not ${expected}; its log stands above`,
  );
}

process.exitCode = await demo({
  keep: process.argv.includes('--keep'),
  record: process.argv.includes('--record'),
}).catch((error: unknown) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
