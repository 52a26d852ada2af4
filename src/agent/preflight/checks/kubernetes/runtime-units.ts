/** Units of another name that may start a container runtime: a vendor's own, which its name need not tell. */
import { posix } from 'node:path';
import type { Host } from '../../../host/host.ts';

const UNIT_DIRECTORIES = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
];
const UNIT_BYTES = 64 * 1024;
const STARTS = /^(?:Exec\w+|ListenStream)=(.*)$/gm;
/** A runtime by its program, and its socket where one is made; whoever only connects names the socket, too. */
const RUNTIME = /(?:^|[\s/'"])(?:containerd|crio|cri-dockerd)(?=$|[\s'";&])/;
const SOCKET = /\/(?:containerd|crio|cri-dockerd)\.sock$/;
const PROGRAM = /^[@+!:|-]*(\/[^\s"']+)/;
const INTERPRETED = /^#!/;

/** @param masked Names of units whose files do not count */
export async function someUnitStartsRuntime(host: Host, masked: readonly string[]): Promise<boolean> {
  const all = await Promise.all(UNIT_DIRECTORIES.map((directory) => unitsIn(host, directory, masked)));
  const programs = new Set<string>();
  for (const text of all.flat()) {
    for (const [line, value = ''] of text.matchAll(STARTS)) {
      if (line.startsWith('ListenStream') ? SOCKET.test(value.trim()) : RUNTIME.test(value)) return true;
      const program = PROGRAM.exec(value)?.[1];
      if (line.startsWith('ExecStart') && program !== undefined) programs.add(program);
    }
  }
  const scripts = await Promise.all([...programs].map((program) => script(host, program)));
  return scripts.some((text) => text.split('\n').some((line) => !/^\s*#/.test(line) && RUNTIME.test(line)));
}

async function unitsIn(host: Host, directory: string, masked: readonly string[]): Promise<string[]> {
  const names = await host.files.list(directory).catch(() => []);
  const units = names.filter((name) => /\.(?:service|socket)$/.test(name) && !masked.includes(name));
  return Promise.all(units.map((name) => textOf(host, posix.join(directory, name))));
}

const textOf = async (host: Host, path: string): Promise<string> =>
  (await host.files.readIfPresent(path, UNIT_BYTES).catch(() => undefined))?.toString('utf8') ?? '';

async function script(host: Host, path: string): Promise<string> {
  const head = await host.files.readFrom(path, 0, 2).catch(() => undefined);
  return head !== undefined && INTERPRETED.test(head.toString('latin1')) ? textOf(host, path) : '';
}
