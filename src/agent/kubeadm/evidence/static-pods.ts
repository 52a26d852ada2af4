/** The static pods of the control plane: their state from the runtime, their last words from the kubelet's log directory. */
import type { Host } from '../../host/host.ts';
import type { StaticPod } from './evidence.ts';
import { parseContainerEnd, parseContainerLog, parseContainers } from './parse.ts';

const PODS = '/var/log/pods';
const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const LOG_BYTES = 32 * 1024;
const LOG_LINES = 40;

/**
 * Without crictl only what the log directory shows; without a log directory what crictl tells.
 * @throws HostError when the log directory cannot be read.
 */
export async function readStaticPods(
  host: Host,
  criSocket: string | undefined,
  timeoutMs: number,
): Promise<StaticPod[]> {
  const crictl = async (...args: string[]): Promise<string> => {
    const socket = criSocket === undefined ? [] : ['-r', withScheme(criSocket)];
    const result = await host.processes.run({
      argv: ['crictl', ...socket, ...args],
      timeoutMs,
      keepBytes: 1024 * 1024,
    });
    return result.exitStatus === 0 ? result.stdout : '';
  };
  const [containers, logs] = await Promise.all([
    crictl('ps', '-a', '-o', 'json').then(parseContainers),
    readLogs(host),
  ]);
  const pods = await Promise.all(
    containers.map(async ({ id, ...container }): Promise<StaticPod> => {
      const ended = container.state === 'exited';
      const [end, log] = await Promise.all([
        ended ? crictl('inspect', '-o', 'json', id).then(parseContainerEnd) : {},
        logs.get(container.name)?.log ??
          crictl('logs', '--tail', String(LOG_LINES), id).then((text) => parseContainerLog(text, LOG_LINES)),
      ]);
      const restarts = Math.max(container.restarts, logs.get(container.name)?.restarts ?? 0);
      return { ...container, ...end, restarts, log };
    }),
  );
  const told = new Set(pods.map(({ name }) => name));
  return [
    ...pods,
    ...[...logs].filter(([name]) => !told.has(name)).map(([name, found]) => ({ name, ...found })),
  ];
}

const withScheme = (socket: string): string => (socket.includes('://') ? socket : `unix://${socket}`);

/** `/var/log/pods/kube-system_etcd-NODE_UID/etcd/3.log`: the number is the restart count. */
async function readLogs(host: Host): Promise<Map<string, { restarts: number; log: string[] }>> {
  const found = new Map<string, { restarts: number; log: string[] }>();
  const pods = (await host.files.list(PODS)).filter((name) => name.startsWith('kube-system_'));
  for (const component of COMPONENTS) {
    for (const pod of pods.filter((name) => name.startsWith(`kube-system_${component}-`))) {
      const directory = `${PODS}/${pod}/${component}`;
      const numbers = (await host.files.list(directory))
        .map((name) => /^(\d+)\.log$/.exec(name)?.[1])
        .filter((number) => number !== undefined)
        .map(Number)
        .sort((a, b) => b - a);
      const [newest, before] = numbers;
      if (newest === undefined || newest < (found.get(component)?.restarts ?? 0)) continue;
      // The newest may just have begun; the one before has said why it ended.
      const lines = [
        ...(before === undefined ? [] : await tail(host, `${directory}/${before}.log`)),
        ...(await tail(host, `${directory}/${newest}.log`)),
      ];
      found.set(component, { restarts: newest, log: lines });
    }
  }
  return found;
}

async function tail(host: Host, path: string): Promise<string[]> {
  const size = (await host.files.stat(path))?.size ?? 0;
  const bytes = await host.files.readFrom(path, Math.max(0, size - LOG_BYTES), LOG_BYTES);
  return parseContainerLog(bytes.toString('utf8'), LOG_LINES);
}
