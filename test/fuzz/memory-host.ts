import type { FileStat, Files } from '../../src/agent/host/files.ts';
import { type Host, HostError } from '../../src/agent/host/host.ts';
import { Broken } from './target.ts';

/** What the network answers to any request; absent: there is none. */
type Answer = (url: string) => { status: number; body: string; headers?: Record<string, string> };

export interface MemoryHost extends Host {
  /** Contents by path; what is written goes here and nowhere else. */
  readonly contents: Map<string, Buffer>;
  /** Paths that were written or removed, in order. */
  readonly changed: string[];
}

/** A machine of which there is nothing but these files. Whatever is done to it beyond files is `Broken`. */
export function memoryHost(contents: Record<string, Buffer | string>, answer?: Answer): MemoryHost {
  const map = new Map(Object.entries(contents).map(([path, text]) => [path, Buffer.from(text)]));
  const changed: string[] = [];
  const files = memoryFiles(map, changed);
  return {
    contents: map,
    changed,
    platform: 'linux',
    root: '/',
    files,
    ownFiles: files,
    clock: { now: () => new Date(1_767_323_045_678), monotonic: () => 90_000, sleep: async () => undefined },
    processes: { ...refusing<Host['processes']>('processes', ['nameSelf']), isAlive: () => false },
    network: answer ? memoryNetwork(answer) : refusing('network', ['client', 'callUnix']),
    blockDevices: refusing('block devices', ['find', 'isInUse', 'read']),
    tpm: async () => undefined,
    readSlow: async (paths) => paths.map(() => ({ problem: 'nothing answers' })),
    interfaceAddresses: () => [],
    random: () => 0.5,
    uuid: () => '00000000-0000-4000-8000-000000000000',
    bootId: async () => 'b-1',
    machineId: async () => undefined,
    hostname: () => 'node-1',
    env: () => undefined,
    stayLean: () => undefined,
    lock: async () => ({ release: async () => undefined }),
  };
}

function memoryFiles(map: Map<string, Buffer>, changed: string[]): Files {
  const at = (path: string): string => {
    if (path.startsWith('/') && !path.includes('\0')) return path.replace(/\/+/g, '/');
    throw new HostError('the path is not absolute', 'EINVAL', path);
  };
  const read = (path: string): Buffer => {
    const found = map.get(at(path));
    if (found === undefined)
      throw new HostError(`reading ${path}: no such file or directory`, 'ENOENT', path);
    return found;
  };
  const put = (path: string, content: Uint8Array | string): void => {
    changed.push(path);
    map.set(at(path), Buffer.from(content));
  };
  const below = (path: string): string[] => [...map.keys()].filter((name) => name.startsWith(`${at(path)}/`));
  const never = refusing<Files>('files', ['writeDevice', 'space', 'tell', 'watch', 'rename', 'symlink']);
  return {
    ...never,
    read: async (path) => read(path),
    async readIfPresent(path, maxBytes = Number.POSITIVE_INFINITY) {
      const found = map.get(at(path));
      if (found && found.length > maxBytes) throw new HostError(`${path} is too large`, 'EFBIG', path);
      return found;
    },
    readFrom: async (path, offset, length) => read(path).subarray(offset, offset + length),
    async stat(path): Promise<FileStat | undefined> {
      const found = map.get(at(path));
      if (found) return { kind: 'file', size: found.length, mode: 0o600, uid: 0, gid: 0 };
      return below(path).length > 0 ? { kind: 'directory', size: 0, mode: 0o700, uid: 0, gid: 0 } : undefined;
    },
    write: async (path, content) => put(path, content),
    async writeAll(entries) {
      for (const { path, content } of entries) put(path, content);
    },
    async openAppend(path) {
      if (!map.has(at(path))) put(path, '');
      return {
        append: async (data) => put(path, Buffer.concat([read(path), Buffer.from(data)])),
        truncate: async (length) => put(path, read(path).subarray(0, length)),
        close: async () => undefined,
      };
    },
    mkdir: async () => undefined,
    async list(path) {
      const names = below(path).map((name) => name.slice(at(path).length + 1).split('/')[0] ?? '');
      return [...new Set(names)].sort();
    },
    async remove(path) {
      for (const name of [at(path), ...below(path)]) if (map.delete(name)) changed.push(name);
    },
    readlink: async (path) => Promise.reject(new HostError(`${path} is no link`, 'EINVAL', path)),
    real: async (path) => at(path),
  };
}

function memoryNetwork(answer: Answer): Host['network'] {
  const respond = async (url: string) => ({ headers: {}, ...answer(url) });
  return {
    ...refusing<Host['network']>('network', ['callUnix']),
    client: () => ({ send: ({ url }) => respond(url), close: () => undefined }),
  };
}

/** Functions that must not be called by whoever only reads. */
function refusing<T>(what: string, names: readonly (keyof T & string)[]): T {
  const fail = (name: string) => () => {
    throw new Broken(`reading bytes reached for the machine: ${what}.${name}`);
  };
  return Object.fromEntries(names.map((name) => [name, fail(name)])) as T;
}
