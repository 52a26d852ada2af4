/** Reads what the machine's own tools print. Pure; what is not understood is left out. */
import type { HostError } from '../../host/host.ts';
import type { UnitProperties } from '../../host/show-units.ts';
import { peel } from '../transcript/prefix.ts';
import type { ApiServerView, Disk, StaticPod, UnitState } from './evidence.ts';

/** `journalctl -o short...`: the messages of each program, in order. */
export function parseJournal(text: string): { program: string | undefined; text: string }[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('-- '))
    .map((line) => {
      const { text: message, program } = peel(line);
      return { text: message, program };
    });
}

export function unitState(unit: UnitProperties): UnitState {
  return {
    name: unit.get('Id') ?? '',
    load: unit.get('LoadState') ?? '',
    active: unit.get('ActiveState') ?? '',
    sub: unit.get('SubState') ?? '',
    result: unit.get('Result') ?? '',
    restarts: Number(unit.get('NRestarts') ?? 0) || 0,
    exitStatus: Number(unit.get('ExecMainStatus') ?? 0) || 0,
  };
}

/** `df -Pk PATH...`, in the order of its lines; the path is the mount point. */
export function parseDisks(text: string): Disk[] {
  const disks = new Map<string, Disk>();
  for (const line of text.split('\n').slice(1)) {
    const match = /^\S+ +(\d+) +\d+ +(\d+) +\d+% +(\/.*)$/.exec(line);
    if (match === null) continue;
    const [, total, available, path = ''] = match;
    disks.set(path, { path, totalBytes: Number(total) * 1024, availableBytes: Number(available) * 1024 });
  }
  return [...disks.values()];
}

/** Bytes of `MemAvailable` in /proc/meminfo. */
export function parseMemory(text: string): number | undefined {
  const kilobytes = /^MemAvailable: +(\d+) kB/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Devices in /proc/swaps. */
export function parseSwaps(text: string): string[] {
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s/)[0] ?? '')
    .filter((name) => name !== '');
}

/** `ss -Hltnp`. */
export function parseListeners(text: string): { port: number; program: string }[] {
  const found: { port: number; program: string }[] = [];
  for (const line of text.split('\n')) {
    const port = Number(/^\S+ +\d+ +\d+ +\S*?:(\d+) /.exec(line)?.[1]);
    const [, program, pid] = /users:\(\("([^"]+)",pid=(\d+)/.exec(line) ?? [];
    if (port > 0 && program !== undefined) found.push({ port, program: `${program} (process ${pid})` });
  }
  return found;
}

const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** A container of a component, as the runtime knows it. */
export type RuntimeContainer = Omit<StaticPod, 'log'> & { id: string };

/** `crictl ps -a -o json`: the newest container of each component. Empty when it is no such JSON. */
export function parseContainers(text: string): RuntimeContainer[] {
  const newest = new Map<string, { createdAt: number; pod: RuntimeContainer }>();
  const { containers } = parseJson<{ containers?: (CriContainer | null)[] }>(text) ?? {};
  for (const container of Array.isArray(containers) ? containers : []) {
    const name = container?.metadata?.name ?? '';
    const createdAt = Number(container?.createdAt) || 0;
    if (!container || !COMPONENTS.includes(name) || (newest.get(name)?.createdAt ?? -1) >= createdAt)
      continue;
    const pod = {
      id: String(container.id ?? ''),
      name,
      state: String(container.state ?? '')
        .replace('CONTAINER_', '')
        .toLowerCase(),
      restarts: Number(container.metadata?.attempt) || 0,
    };
    newest.set(name, { createdAt, pod });
  }
  return [...newest.values()].map(({ pod }) => pod);
}

interface CriContainer {
  id?: string;
  metadata?: { name?: string; attempt?: number };
  state?: string;
  createdAt?: string;
}

/** `crictl inspect -o json`: how the container ended. */
export function parseContainerEnd(text: string): Pick<StaticPod, 'exitCode' | 'reason'> {
  const { status } = parseJson<{ status?: { exitCode?: number; reason?: string } }>(text) ?? {};
  return {
    ...(typeof status?.exitCode === 'number' ? { exitCode: status.exitCode } : {}),
    ...(typeof status?.reason === 'string' && status.reason !== '' ? { reason: status.reason } : {}),
  };
}

/** Undefined where a tool was cut off by its time limit, or says in words what is wrong. */
function parseJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Lines of a container's log file as the kubelet keeps it, without the runtime's prefix. */
export function parseContainerLog(text: string, count: number): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(-count)
    .map((line) => line.replace(/^\S+ std(?:out|err) [FP] /, ''));
}

const ERRORS: Record<string, ApiServerView['failedAt']> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  ECONNREFUSED: 'tcp',
  EHOSTUNREACH: 'tcp',
  ENETUNREACH: 'tcp',
  ETIMEDOUT: 'tcp',
  EADDRNOTAVAIL: 'tcp',
  ECONNRESET: 'tls',
  EPROTO: 'tls',
};

const WORDS: Record<string, string> = {
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'the DNS server does not answer',
  ECONNREFUSED: 'it refuses connections',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it closes the connection',
};

/** Where a request failed. */
export function readRequestError({
  errno,
  message,
  isMute,
}: HostError): Pick<ApiServerView, 'failedAt' | 'problem'> {
  if (isMute) return { failedAt: 'mute', problem: 'it accepts the connection and then sends nothing' };
  if (errno in ERRORS) {
    const failedAt = ERRORS[errno];
    return { ...(failedAt === undefined ? {} : { failedAt }), problem: WORDS[errno] ?? errno };
  }
  if (/^(?:CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ECLIENTCERT)/.test(errno))
    return { failedAt: 'tls', problem: errno };
  return { failedAt: 'http', problem: message.slice(0, 120) };
}

/** Ids of the tokens that have signed the ConfigMap cluster-info; undefined when the body is no ConfigMap. */
export function parseClusterInfo(body: string): { signedBy: string[] } | undefined {
  // A load balancer or a proxy may answer with a page of its own.
  const value = parseJson<{ kind?: string; data?: Record<string, string> }>(body);
  if (value?.kind !== 'ConfigMap') return undefined;
  const prefix = 'jws-kubeconfig-';
  return {
    signedBy: Object.keys(value.data ?? {})
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length)),
  };
}
