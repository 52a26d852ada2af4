/** Units of another name that may start a container runtime: a vendor's own, which its name need not tell. */
import { posix } from 'node:path';
import type { Host } from '../../../host/host.ts';

const UNIT_DIRECTORIES = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/run/systemd/transient',
  '/run/systemd/generator',
  '/usr/local/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
];
const UNIT_BYTES = 64 * 1024;
const CONTINUED = /\\\r?\n/g;
const STARTS = /^[ \t]*(?:Exec\w+|ListenStream)[ \t]*=(.*)$/gm;
/** A runtime by its program, and its socket where one is made; whoever only connects names the socket, too. */
const RUNTIME = /(?:^|[\s/'"])(?:containerd|crio|cri-dockerd)(?:-v?\d[\w.]*)?(?=$|[\s'";&}])/;
const SOCKET = /\/(?:containerd|crio|cri-dockerd)\.sock$/;
/** A shell has its script behind it. */
const PROGRAM = /(?:^|[\s'"])[@+!:|-]*(\/[^\s"';]+)/g;
const INTERPRETED = /^#!/;

/** @param masked Names of units whose files do not count */
export async function someUnitStartsRuntime(host: Host, masked: readonly string[]): Promise<boolean> {
  const all = await Promise.all(UNIT_DIRECTORIES.map((directory) => unitsIn(host, directory, masked)));
  const programs = new Set<string>();
  for (const text of all.flat()) {
    for (const [line, value = ''] of text.replace(CONTINUED, ' ').matchAll(STARTS)) {
      if (/^\s*Listen/.test(line) ? SOCKET.test(value.trim()) : RUNTIME.test(value)) return true;
      if (/^\s*ExecStart/.test(line))
        for (const [, program = ''] of value.matchAll(PROGRAM)) programs.add(program);
    }
  }
  const scripts = await Promise.all([...programs].map((program) => script(host, program)));
  return scripts.some((text) => text.split('\n').some((line) => !/^\s*#/.test(line) && RUNTIME.test(line)));
}

/** The texts of units, and of what is dropped in. */
async function unitsIn(host: Host, directory: string, masked: readonly string[]): Promise<string[]> {
  const list = (path: string) => host.files.list(path).catch(() => []);
  const names = (await list(directory)).filter((name) => !masked.includes(name.replace(/\.d$/, '')));
  const of = (form: RegExp) =>
    names.filter((name) => form.test(name)).map((name) => posix.join(directory, name));
  const dropIns = of(/\.(?:service|socket)\.d$/).map(async (folder) =>
    (await list(folder)).map((name) => posix.join(folder, name)),
  );
  const paths = [...of(/\.(?:service|socket)$/), ...(await Promise.all(dropIns)).flat()];
  return Promise.all(paths.map((path) => textOf(host, path)));
}

const textOf = async (host: Host, path: string): Promise<string> =>
  (await host.files.readIfPresent(path, UNIT_BYTES).catch(() => undefined))?.toString('utf8') ?? '';

async function script(host: Host, path: string): Promise<string> {
  const head = await host.files.readFrom(path, 0, 2).catch(() => undefined);
  return head !== undefined && INTERPRETED.test(head.toString('latin1')) ? textOf(host, path) : '';
}
