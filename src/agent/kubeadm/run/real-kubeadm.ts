/** Finds the real kubeadm, which may be hidden behind Slipway installed under that name. */
import type { Failure } from '../../../protocol/journal.ts';
import { PROXY_FILE, WINDOWS_SHIM } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { KubeadmError } from '../kubeadm-error.ts';
import { type ProgramQuery, queryProgram } from './query-program.ts';

/** Searched after PATH: cloud-init and systemd start programs with a PATH that lacks some of them. */
const KUBEADM_DIRECTORIES = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/bin'];

/** The same on Windows, where image-builder's images have it. */
const WINDOWS_DIRECTORIES = ['C:\\k', 'C:\\Program Files\\Kubernetes'];

/** Names the real kubeadm where it is not in PATH or has another name. */
const KUBEADM_VARIABLE = 'SLIPWAY_KUBEADM';

/** Tells a kubeadm which Slipway has called it, so that two of them never call each other for ever. */
const CALLER_VARIABLE = 'SLIPWAY_CALLER';

const REMEDY = `Keep one Slipway named kubeadm (slipway install --shim creates a link, not a copy), and put the real kubeadm in PATH or set ${KUBEADM_VARIABLE} to its path.`;
const IS_SLIPWAY_TOO = 'is Slipway too';
/** What a shell says of a program that is just being replaced, or for which there is no memory right now; and of a line of a script, which runs. */
const PASSES =
  /^(?:(?:Text file busy|not found|No such file or directory|Cannot allocate memory|Input\/output error)$|(?:line )?\d+: (?!\W?ELF))/i;
const PUT_ONE = "Install a kubeadm for this machine's architecture in the image.";

/** What every call of the real kubeadm gets into its environment. */
export function kubeadmEnvironment(): Record<string, string> {
  return { [CALLER_VARIABLE]: process.execPath };
}

/**
 * Call it first when this program was called as `kubeadm`.
 *
 * @throws KubeadmError `KubeadmNotFound` when the caller is a Slipway that took this one for the real
 *   kubeadm.
 */
export function refuseSlipwayAsCaller(host: Host, self: string): void {
  const caller = host.env(CALLER_VARIABLE);
  if (caller === undefined || caller === '') return;
  throw new KubeadmError(
    'KubeadmNotFound',
    `${caller} took ${self} for the real kubeadm, but that ${IS_SLIPWAY_TOO}.`,
    REMEDY,
  );
}

/** The failure of a run in which no kubeadm ran: it turned out to be Slipway, or no program for this machine. */
export function noKubeadmFailure({
  path,
  exitStatus,
  stderr,
}: {
  path: string;
  exitStatus: number | undefined;
  stderr: string;
}): Failure | undefined {
  if (stderr.includes(IS_SLIPWAY_TOO))
    return new KubeadmError(
      'KubeadmNotFound',
      `${path}, used as the real kubeadm, ${IS_SLIPWAY_TOO}.`,
      REMEDY,
    ).failure;
  // What a shell ends with that could not begin a program, and says last.
  if (exitStatus !== 126 && exitStatus !== 127) return undefined;
  const [, why] = stderr.trimEnd().split('\n').at(-1)?.split(`${path}: `) ?? [];
  if (why === undefined || PASSES.test(why)) return undefined;
  return new KubeadmError('KubeadmNotFound', `${path} cannot be run: ${why}.`, PUT_ONE).failure;
}

/**
 * Path of the real kubeadm: `$SLIPWAY_KUBEADM`, else the first `kubeadm` in PATH and the usual directories
 * that is not Slipway itself.
 *
 * @param self Path of the running Slipway binary as the machine sees it; undefined when it is not a file of
 *   the machine.
 * @throws KubeadmError `KubeadmNotFound`.
 */
export async function findRealKubeadm(host: Host, self: string | undefined): Promise<string> {
  const own = self === undefined ? undefined : await host.files.real(self);
  const isOther = async (path: string): Promise<boolean> => {
    const real = await host.files.real(path);
    return real !== own && !isOwnCopy(host, real);
  };
  const named = host.env(KUBEADM_VARIABLE);
  if (named !== undefined && named !== '') return checkNamed(host, named, isOther);

  const inPath = await host.processes.which('kubeadm', isOther);
  if (inPath !== undefined) return inPath;
  const isWindows = host.platform === 'windows';
  const directories = isWindows ? WINDOWS_DIRECTORIES : KUBEADM_DIRECTORIES;
  for (const directory of directories) {
    const path = isWindows ? `${directory}\\kubeadm.exe` : `${directory}/kubeadm`;
    if ((await isProgram(host, path)) && (await isOther(path))) return path;
  }
  for (const directory of isWindows ? [] : directories) {
    const path = `${directory}/kubeadm`;
    const stat = await host.files.stat(path);
    if (stat?.kind !== 'file' || (stat.mode & 0o111) !== 0) continue;
    const what = `${path} exists but is not executable.`;
    throw new KubeadmError(
      'KubeadmNotFound',
      what,
      `Install it in the image with mode 0755 (chmod 755 ${path}).`,
    );
  }
  throw new KubeadmError(
    'KubeadmNotFound',
    `There is no kubeadm on this machine, neither in PATH nor in ${directories.join(', ')}.`,
  );
}

/** On Windows the shim is another file with the same content, beside the program. */
function isOwnCopy(host: Host, real: string): boolean {
  return host.platform === 'windows' && real.toLowerCase().startsWith(`${WINDOWS_SHIM.toLowerCase()}\\`);
}

const isAbsolute = (host: Host, path: string): boolean =>
  host.platform === 'windows' ? /^[A-Za-z]:[\\/]/.test(path) : path.startsWith('/');

async function checkNamed(
  host: Host,
  path: string,
  isOther: (path: string) => Promise<boolean>,
): Promise<string> {
  const problem = !isAbsolute(host, path)
    ? 'is not an absolute path'
    : !(await isProgram(host, path))
      ? 'is not an executable file'
      : !(await isOther(path))
        ? 'is Slipway itself'
        : undefined;
  if (problem === undefined) return path;
  throw new KubeadmError(
    'KubeadmNotFound',
    `${KUBEADM_VARIABLE} names ${path}, which ${problem}.`,
    `Correct or unset ${KUBEADM_VARIABLE}.`,
  );
}

async function isProgram(host: Host, path: string): Promise<boolean> {
  const stat = await host.files.stat(path);
  if (stat === undefined) return false;
  // A link's own mode says nothing; that it leads somewhere is seen when it is run.
  return stat.kind === 'symlink' || (stat.kind === 'file' && (stat.mode & 0o111) !== 0);
}

interface KubeadmVersion {
  /** As printed, e.g. `v1.31.2`. */
  text: string;
  major: number;
  minor: number;
}

/** How kubeadm is asked for its version. */
export function versionQuery(path: string): ProgramQuery {
  return { argv: [path, 'version', '-o', 'short'], env: kubeadmEnvironment(), timeoutMs: 20_000 };
}

/**
 * Asks kubeadm for its version.
 *
 * @throws KubeadmError `KubeadmNotFound` when the program cannot be run or does not answer like kubeadm.
 */
export async function kubeadmVersion(host: Host, path: string): Promise<KubeadmVersion> {
  const result = await queryProgram(host, versionQuery(path));
  const match = /^(v(\d+)\.(\d+)\S*)\s*$/m.exec(result.stdout);
  if (result.exitStatus === 0 && match !== null) {
    return { text: match[1] ?? '', major: Number(match[2]), minor: Number(match[3]) };
  }
  const said = result.stderr.trim().split('\n').at(-1) ?? '';
  throw new KubeadmError(
    'KubeadmNotFound',
    `${path} does not print its version (exit status ${result.exitStatus}${said === '' ? '' : `: ${said}`}).`,
    PUT_ONE,
  );
}

/** Minor version of that kubeadm; undefined when it does not say, which its own run will explain. */
export async function kubeadmMinor(host: Host, path: string): Promise<number | undefined> {
  try {
    const { major, minor } = await kubeadmVersion(host, path);
    return major === 1 ? minor : undefined;
  } catch (error) {
    if (error instanceof KubeadmError) return undefined;
    throw error;
  }
}

/** The file's text: each variable in upper and in lower case, since programs read the one or the other. */
export function proxyFile(values: { HTTP_PROXY?: string; HTTPS_PROXY?: string; NO_PROXY?: string }): string {
  const lines = Object.entries(values).flatMap(([name, value]) => [
    `${name}="${value}"`,
    `${name.toLowerCase()}="${value}"`,
  ]);
  return `# Written by Slipway from the settings of the node (slipway.proxy).\n${lines.join('\n')}\n`;
}

/**
 * The proxy settings for kubeadm, which hands them to the static pods that it writes; empty if there are
 * none.
 */
export async function proxyEnvironment(host: Host): Promise<Record<string, string>> {
  const text = (await host.files.readIfPresent(PROXY_FILE, 64 * 1024))?.toString('utf8') ?? '';
  const found = [...text.matchAll(/^((?:HTTPS?|NO)_PROXY|(?:https?|no)_proxy)="([^"\\]*)"$/gm)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
}
