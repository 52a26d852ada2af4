import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { KubernetesTokens } from '../../../src/controller/attest/kubernetes-tokens.ts';
import { makeToken } from '../../../src/controller/attest/token.ts';
import { kubernetesCertificate } from '../../../src/controller/keys/keys.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { ControllerProcess } from '../../support/controller/controller-process.ts';
import { ManagementCluster } from '../../support/controller/management-cluster.ts';

/** A real API server and one controller with the rights of its manifests, for measuring. */
export interface BenchScene {
  readonly cluster: ManagementCluster;
  readonly controller: ControllerProcess;
  readonly ca: string;
  /** Of a pool. */
  readonly token: string;
  close(): Promise<void>;
}

/** @param words more options of `serve` */
export async function openScene(
  say: (line: string) => void,
  words: readonly string[] = [],
): Promise<BenchScene> {
  const cluster = await ManagementCluster.start(say);
  let controller: ControllerProcess | undefined;
  try {
    controller = await ControllerProcess.start([
      `--kubeconfig=${cluster.api.kubeconfig(CONTROLLER)}`,
      '--namespace=slipway-system',
      ...words,
    ]);
    const ca = await kubernetesCertificate(cluster.client, 'slipway-system');
    const { token, record } = makeToken({ namespace: 'default', expiresAt: Date.now() + 86_400_000 });
    await new KubernetesTokens(cluster.client, 'slipway-system').add(record);
    const open = controller;
    return {
      cluster,
      controller: open,
      ca,
      token,
      close: async () => {
        await open.end('SIGKILL');
        await cluster.close();
      },
    };
  } catch (error) {
    await controller?.end('SIGKILL');
    await cluster.close();
    throw error;
  }
}

/** Resident memory of a process, now and at most, in bytes. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** CPU time of a process so far, in milliseconds; the kernel counts in hundredths of a second. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Where the controller's memory lies, in words. */
export async function memoryText(scene: BenchScene): Promise<string> {
  const of = async (what: string): Promise<string> => `${Math.round((await counter(scene, what)) / 1e6)} MB`;
  const [rss, total, used, external] = await Promise.all([
    of('process_resident_memory_bytes'),
    of('nodejs_heap_size_total_bytes'),
    of('nodejs_heap_size_used_bytes'),
    of('nodejs_external_memory_bytes'),
  ]);
  const [open, atHand] = [
    await counter(scene, 'slipway_connections'),
    await counter(scene, 'slipway_nodes_at_hand'),
  ];
  return `${rss} resident, heap ${used} of ${total}, ${external} outside of it, ${open} connections, ${atHand} records at hand`;
}

/** A counter of the controller, summed over its labels. */
export async function counter({ controller }: BenchScene, name: string): Promise<number> {
  const text = await new Promise<string>((resolve, reject) => {
    request({ host: '127.0.0.1', port: controller.adminPort, path: '/metrics' }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => (body += chunk.toString()));
      answer.once('end', () => resolve(body));
    })
      .once('error', reject)
      .end();
  });
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
