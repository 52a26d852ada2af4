import { strict as assert } from 'node:assert';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Journal } from '../../../src/agent/engine/journal.ts';
import { GPU_SERVER, plant } from '../../../src/agent/facts/fixtures/tree.ts';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import { kubernetesCertificate } from '../../../src/controller/keys/keys.ts';
import type { RecordBody } from '../../../src/protocol/journal.ts';
import { run } from '../../lab/process/command.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import type { ManagementCluster } from '../../support/controller/management-cluster.ts';
import { DIST } from '../../support/machines.ts';

/** What tells a machine from all others, of the server below. */
const SERIAL = 'A451234X2001234';
const MAC = '3c:ec:ef:9a:1b:2c';
const GPU_UUID = 'GPU-0e1f2a3b';
const DISK_SERIAL = 'ZL2ABC10';
const IDENTIFIERS = [SERIAL, MAC, GPU_UUID, DISK_SERIAL];

/**
 * From the machine's files to the commands: the real agent reports a captured server with eight GPUs to a real controller,
 * which keeps it in a real API server, with the rights of the manifests. Serial numbers need both sides.
 */
export async function inventory(cluster: ManagementCluster, say: (line: string) => void): Promise<void> {
  await withController(cluster, ['--keep-identifiers'], (controller) =>
    Promise.all([told(cluster, controller, 'both', true), told(cluster, controller, 'controller', false)]),
  );
  await withController(cluster, [], (controller) => told(cluster, controller, 'machine', true));

  for (const name of ['both', 'machine', 'controller']) {
    const { status } = await cluster.node(name);
    const facts = status?.facts ?? {};
    assert.equal(facts.gpus, '8 x NVIDIA A100-SXM4-80GB', name);
    assert.equal(facts.disks, '1 x 3.49 TiB SAMSUNG MZQL23T8HCLS-00A07, 24 x 10.9 TiB ST12000NM001G-2M');
    assert.deepEqual(
      ['serial', 'macs', 'disk-serials', 'gpu-uuids', 'uuid'].filter((fact) => facts[fact] !== undefined),
      name === 'both' ? ['serial', 'macs', 'disk-serials', 'gpu-uuids', 'uuid'] : [],
    );
    const all = JSON.stringify(await cluster.node(name));
    for (const text of IDENTIFIERS) assert.equal(all.includes(text), name === 'both', `${text} of ${name}`);
  }
  await commands(cluster);
  say(
    'from a captured server by the real reporter into the inventory; serial numbers where both sides want them',
  );
}

async function commands(cluster: ManagementCluster): Promise<void> {
  const access = `--kubeconfig=${cluster.api.kubeconfig()}`;
  const read = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await controllerCommand([...words, access]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const rowOf = (text: string, name: string) => text.split('\n').find((line) => line.includes(name)) ?? '';
  const table = await read('inventory');
  assert.match(table, /^NAMESPACE +NAME +VENDOR +PRODUCT +THREADS +MEMORY +GPUS +DISKS +SERIAL\n/);
  assert.match(
    rowOf(table, ' both '),
    /Supermicro +SYS-420GP-TNAR +\d+ .*8 x NVIDIA A100-SXM4-80GB.*A451234X2001234/,
  );
  assert.doesNotMatch(rowOf(table, ' machine '), /A451234X2001234/);
  const lines = (await read('inventory', '--format=csv')).trim().split(/\r?\n/);
  assert.match(lines[0] ?? '', /^NAMESPACE,NAME,MACHINE,.*ACCELERATORS.*SERIAL.*MACS/);
  assert.equal(lines.length, 4);
  assert.match(
    lines.find((line) => line.startsWith('default,both,both,')) ?? '',
    /Supermicro.*A451234X2001234/,
  );
  const parsed = JSON.parse(await read('inventory', '--format=json')) as {
    name: string;
    machine: string;
    facts: Record<string, string>;
  }[];
  assert.equal(parsed.find(({ machine }) => machine === 'both')?.facts.serial, SERIAL);
  const wide = await read('nodes', '--wide');
  assert.match(rowOf(wide, ' controller '), /Succeeded.* SYS-420GP-TNAR +\d+ .*8 x NVIDIA A100-SXM4-80GB/);
  const node = await read('node', 'default/both');
  for (const part of [/8 x NVIDIA A100-SXM4-80GB/, /secure-boot +on/, /A451234X2001234/])
    assert.match(node, part);
}

async function withController(
  cluster: ManagementCluster,
  words: readonly string[],
  use: (controller: ControllerProcess) => Promise<unknown>,
): Promise<void> {
  const controller = await ControllerProcess.start([
    ...[`--kubeconfig=${cluster.api.kubeconfig(CONTROLLER)}`, '--namespace=slipway-system'],
    ...words,
  ]);
  try {
    await use(controller);
  } finally {
    await controller.end('SIGTERM');
  }
}

/** One machine that has joined, and its reporter until that ends by itself. */
async function told(
  cluster: ManagementCluster,
  controller: ControllerProcess,
  name: string,
  identifiers: boolean,
): Promise<void> {
  const root = plant(GPU_SERVER);
  try {
    await cluster.createMachine(name, { token: true });
    const ca = await kubernetesCertificate(cluster.client, 'slipway-system');
    const token = await cluster.machineToken(name);
    put(root, 'etc/machine-id', `${name}\n`);
    put(root, 'etc/hostname', `${name}\n`);
    put(
      root,
      'etc/slipway/config.yaml',
      `report:
  nodeTimeout: 0s
  console: off
  journal: off
  identifiers: ${identifiers}
  controller:
    endpoints: ["https://127.0.0.1:${controller.port}"]
    token: "${token}"
    ca: |
${ca.trimEnd().replace(/^/gm, '      ')}
`,
    );
    const journal = await Journal.open(createLinuxHost({ root }));
    for (const record of joined(name)) await journal.append(record);
    await journal.close();
    // Processes of its own: on this host other machines of the lab may be joining.
    const apart = ['--pid', '--fork', '--kill-child', '--mount-proc'];
    const ended = await run('unshare', [...apart, DIST, 'report', '--root', root], { timeoutMs: 600_000 });
    assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}\n${controller.log}`);
    assert.match(ended.stdout, /over: /);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text, { mode: 0o600 });
}

const STEP = { id: 'kubeadm', title: 'kubeadm join', digest: 'd' };

function joined(instance: string): RecordBody[] {
  const sequence = 's-1';
  return [
    { type: 'run.started', run: 'r-1', instance, mode: 'bootstrap', agent: '0.1.0', pid: 2 ** 22 },
    {
      ...{ type: 'sequence.started', run: 'r-1', sequence, digest: 'd', steps: [STEP] },
      ...{ deadlineSeconds: 900, resumed: false },
    } as RecordBody,
    { type: 'step.started', step: STEP.id, digest: 'd', attempt: 1 },
    { type: 'step.ended', step: STEP.id, digest: 'd', attempt: 1, result: 'done', ms: 10 },
    { type: 'sequence.ended', run: 'r-1', sequence, result: 'succeeded', exitStatus: 0, ms: 20 },
  ];
}
