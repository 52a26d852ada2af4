/** The static pods of the control plane: their state from the runtime, their last words from the kubelet's log directory. */
import { type Host, HostError } from '../../host/host.ts';
import type { StaticPod } from './evidence.ts';
import { parseContainerEnd, parseContainerLog, parseContainers } from './parse.ts';

const PODS = '/var/log/pods';
const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const LOG_BYTES = 32 * 1024;
/** Whoever can write to the directory of logs can make any number of entries. */
const MOST_ENTRIES = 2_000;
const LOG_LINES = 40;

/**
 * Without crictl only what the log directory shows; without a log directory what crictl tells.
 * @throws HostError when the log directory cannot be read.
 */
export async function readStaticPods(
  host: Host,
  criSocket: string | undefined,
  timeoutMs: number,
  marks?: LogMarks,
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
    readPodLogs(host, marks),
  ]);
  // With cri-dockerd the kubelet's log files are links, which are not followed; the runtime tells what is in them.
  const logOf = (name: string): string[] | undefined => {
    const log = logs.get(name)?.log ?? [];
    return log.length === 0 ? undefined : log;
  };
  const pods = await Promise.all(
    containers.map(async ({ id, ...container }): Promise<StaticPod> => {
      const ended = container.state === 'exited';
      const [end, log] = await Promise.all([
        ended ? crictl('inspect', '-o', 'json', id).then(parseContainerEnd) : {},
        logOf(container.name) ??
          crictl('logs', '--tail', String(LOG_LINES), id).then((text) => parseContainerLog(text, LOG_LINES)),
      ]);
      // The runtime counts on over attempts, as the kubelet does.
      const restarts = logs.get(container.name)?.restarts ?? container.restarts;
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

/** The number of each component's newest log file, by `POD/CONTAINER`; what has a higher number is newer. */
export type LogMarks = ReadonlyMap<string, number>;

/** Where the logs stand now: the kubelet counts on from an earlier attempt whose pods had the same manifest. */
export async function markLogs(host: Host): Promise<LogMarks> {
  const newest = await Promise.all(
    (await logDirectories(host)).map(async ({ names }) => {
      const [number] = await logNumbers(host, names);
      return [names.join('/'), number ?? -1] as const;
    }),
  );
  return new Map(newest);
}

/** Lines and restarts of each component, as far as they are newer than `marks`. @throws HostError */
export async function readPodLogs(
  host: Host,
  marks: LogMarks = new Map(),
): Promise<Map<string, { restarts: number; log: string[] }>> {
  const found = new Map<string, { restarts: number; log: string[] }>();
  for (const { component, names } of await logDirectories(host)) {
    const mark = marks.get(names.join('/')) ?? -1;
    const numbers = (await logNumbers(host, names)).filter((number) => number > mark);
    const [newest, before] = numbers;
    const restarts = newest === undefined ? -1 : newest - mark - 1;
    if (newest === undefined || restarts < (found.get(component)?.restarts ?? 0)) continue;
    // The newest may just have begun; the one before has said why it ended.
    const log = [
      ...(before === undefined ? [] : await tail(host, [...names, `${before}.log`])),
      ...(await tail(host, [...names, `${newest}.log`])),
    ];
    found.set(component, { restarts, log });
  }
  return found;
}

/** `/var/log/pods/kube-system_etcd-NODE_UID/etcd`, which has `3.log` after three restarts. */
async function logDirectories(host: Host): Promise<{ component: string; names: string[] }[]> {
  const pods = await host.files.listBelow({ base: PODS, names: [] }, MOST_ENTRIES);
  return COMPONENTS.flatMap((component) =>
    pods
      .filter((pod) => pod.startsWith(`kube-system_${component}-`))
      .map((pod) => ({ component, names: [pod, component] })),
  );
}

/** The newest first. No link counts: a pod that has this directory of the host could lead root anywhere. */
async function logNumbers(host: Host, names: readonly string[]): Promise<number[]> {
  const inside = await host.files.listBelow({ base: PODS, names }, MOST_ENTRIES).catch(ifRefused([]));
  return inside
    .map((name) => /^(\d{1,9})\.log$/.exec(name)?.[1])
    .filter((number) => number !== undefined)
    .map(Number)
    .sort((a, b) => b - a);
}

async function tail(host: Host, names: readonly string[]): Promise<string[]> {
  const end = await host.files.readEndBelow({ base: PODS, names }, LOG_BYTES).catch(ifRefused(undefined));
  return end === undefined ? [] : parseContainerLog(end.bytes.toString('utf8'), LOG_LINES);
}

/** In place of a link, a pipe, and whatever else is no log. */
function ifRefused<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof HostError && ['ELOOP', 'EINVAL', 'ENOTDIR'].includes(error.errno)) return instead;
    throw error;
  };
}
