import { randomBytes } from 'node:crypto';
import { buildBinary } from '../../build/binary.ts';
import { type Lab, type Machine, openLab, requirements } from '../lab/lab.ts';
import { openUserLab } from '../lab/open-lab.ts';
import { makeCertificates } from '../support/cluster-api/certificates.ts';
import { type ClusterData, controlPlaneInit, workerJoin } from '../support/cluster-api/user-data.ts';
import { bootMachine, kubectl, waitForReady } from '../support/machines.ts';

// npm run demo [-- --keep]: one control plane and one worker, each bootstrapped by Slipway from the user data that
// Cluster API would give it: the control plane by slipway.service, the worker by cloud-init with Slipway as its kubeadm.

const CONTROL_PLANE_IP = '10.99.1.10';
const KUBERNETES = 'v1.20.2';

const say = (text: string) => process.stdout.write(`\x1b[1m${text}\x1b[0m\n`);

async function demo(keep: boolean): Promise<number> {
  const { ok, missing } = await requirements();
  if (!ok) {
    process.stdout.write(
      `The demo needs machines of its own, which cannot be made here:\n${missing.map((line) => `  - ${line}\n`).join('')}` +
        'What still runs: npm run test:unit, npm run build, and dist/slipway-linux-x64 plan --user-data FILE.\n',
    );
    return 1;
  }
  say('Building slipway');
  process.stdout.write(`${await buildBinary()}\n`);
  say('Preparing machines (the first time takes some minutes; later ones come from a cache)');
  const progress = { say: (line: string) => process.stdout.write(`  ${line}\n`) };
  const lab = keep ? await openUserLab(progress) : await openLab(progress);
  try {
    await show(lab);
    if (keep)
      say('The machines are kept. Look around: npm run lab -- ls; take them away: npm run lab -- down --all');
    return 0;
  } finally {
    if (!keep) {
      say('Taking everything away');
      await lab.close();
    }
  }
}

async function show(lab: Lab): Promise<void> {
  const cluster: ClusterData = {
    name: 'demo',
    endpoint: `${CONTROL_PLANE_IP}:6443`,
    kubernetesVersion: KUBERNETES,
    certificates: await makeCertificates(),
    token: `${randomBytes(3).toString('hex')}.${randomBytes(8).toString('hex')}`,
  };
  say('cp1 boots: no cloud-init; slipway.service finds the user data and runs kubeadm init');
  const userData = controlPlaneInit(cluster, CONTROL_PLANE_IP, {
    preKubeadmCommands: ['hostname', 'echo "127.0.0.1 localhost" >>/etc/hosts'],
  });
  const controlPlane = await bootMachine(lab, 'cp1', {
    role: 'control-plane',
    ip: CONTROL_PLANE_IP,
    userData,
    mode: 'service',
  });
  await follow(controlPlane);
  say('w1 boots: real cloud-init applies the user data; the kubeadm that it calls is Slipway');
  const worker = await bootMachine(lab, 'w1', {
    role: 'worker',
    userData: workerJoin(cluster),
    mode: 'shim',
  });
  await follow(worker);
  say('Waiting for both nodes to be Ready');
  await waitForReady(controlPlane, ['cp1', 'w1']);
  say('$ kubectl get nodes');
  process.stdout.write(await kubectl(controlPlane, 'get', 'nodes', '-o', 'wide'));
}

/** Live progress: `slipway status --wait` on the machine, on this terminal. */
async function follow(machine: Machine): Promise<void> {
  const child = machine.spawn(['slipway', 'status', '--wait', '--timeout', '5m'], {
    stdio: 'inherit',
    env: { TERM: process.env.TERM ?? 'dumb' },
  });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code === 0) return;
  process.stdout.write(`${await machine.logs()}\n`);
  throw new Error(`${machine.name} was not bootstrapped (exit status ${code}); its log stands above`);
}

process.exitCode = await demo(process.argv.includes('--keep')).catch((error: unknown) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
