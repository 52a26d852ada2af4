import { pluralize } from '../../../kit/pluralize.ts';
import type { Failure } from '../../../protocol/journal.ts';
import type { Diagnostic } from '../../document/document.ts';
import type { KernelSettings } from '../../document/node-settings.ts';
import { failed } from '../../engine/failure.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/diagnostics.ts';
import { lastLines } from '../../tools/run-tool.ts';
import { machineToWarnOf, type PreviewContext, warningAt } from '../kind/preview.ts';
import type { Work } from '../kind/step-kind.ts';

/** Preflight adds lines to the same files when it mends. */
const MODULES_FILE = '/etc/modules-load.d/slipway.conf';
const SYSCTL_FILE = '/etc/sysctl.d/90-slipway.conf';

const ASK_MS = 5000;
/** More than anybody asks for; each is a process. */
const MOST_ASKED = 64;

/**
 * Sets kernel modules and settings (sysctls) now, and for later boots in files that systemd reads. Whatever
 * the kernel refuses becomes a finding; the preflight step tells whether kubeadm can do without it.
 */
export const setUpKernel: Work<KernelSettings> = ({ modules, sysctls }) => ({
  onFailure: 'continue',
  async run({ host }) {
    const settings = Object.entries(sysctls);
    await remember(host, MODULES_FILE, modules);
    await remember(
      host,
      SYSCTL_FILE,
      settings.map(([key, value]) => `${key} = ${value}`),
    );
    // Below a root directory there is no separate kernel to tell.
    if (host.root !== '/') return { done: true, message: 'for later boots' };
    const failures: ReturnType<typeof failed>[] = [];
    for (const name of modules) {
      const problem = await load(host, name);
      if (problem)
        failures.push(failed('KernelModuleNotLoaded', `The kernel module ${name} cannot be loaded`, problem));
    }
    for (const [key, value] of settings) {
      const problem = await set(host, key, value);
      if (problem) failures.push(failed('SysctlNotSet', `${key} cannot be set to ${value}`, problem));
    }
    if (failures[0] !== undefined) return failures[0];
    return {
      done: true,
      message: `${pluralize(modules.length, 'module')}, ${pluralize(settings.length, 'setting')}`,
    };
  },
});

type Problem = Pick<Failure, 'exitStatus' | 'lines'>;

async function remember(host: Host, path: string, lines: string[]): Promise<void> {
  const present = (await host.files.readIfPresent(path))?.toString('utf8') ?? '';
  const wanted = withBlock(present, lines);
  if (wanted !== present) await host.files.write(path, wanted, { mode: 0o644 });
}

/** A built-in module is not loaded, but it is there. */
async function load(host: Host, name: string): Promise<Problem | undefined> {
  const there = (await host.files.stat(`/sys/module/${name.replaceAll('-', '_')}`)) !== undefined;
  return there ? undefined : attempt(host, ['modprobe', '--', name]);
}

async function set(host: Host, key: string, value: string): Promise<Problem | undefined> {
  // As in sysctl(8), a dot in a name is a slash in the path and vice versa.
  const swapped = key.replace(/[./]/g, (sign) => (sign === '.' ? '/' : '.'));
  const present = (await host.files.readIfPresent(`/proc/sys/${swapped}`))?.toString('utf8');
  if (present !== undefined && words(present) === words(value)) return undefined;
  return attempt(host, ['sysctl', '-q', '-w', `${key}=${value}`]);
}

const words = (text: string): string => text.trim().split(/\s+/).join(' ');

async function attempt(host: Host, argv: [string, ...string[]]): Promise<Problem | undefined> {
  const result = await host.processes.run({ argv, env: { LC_ALL: 'C' }, timeoutMs: 10_000 });
  // Older procps: sysctl ends with 0 even if the kernel refuses the value, but prints an error.
  if (result.exitStatus === 0 && !/^sysctl: /m.test(result.stderr)) return undefined;
  return { exitStatus: result.exitStatus, lines: lastLines(result) };
}

/** Parts of the kernel that this machine has not. Nothing is loaded: modprobe only says what it would do. */
export async function previewKernel(
  specs: readonly KernelSettings[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  const [kernel] = specs;
  if (kernel === undefined || host?.root !== '/') return [];
  const found: Diagnostic[] = [];
  const warn = (code: 'KernelModuleNotLoaded' | 'SysctlNotSet', message: string) =>
    found.push(warningAt(context.document, ['slipway', 'kernel'], code, message));
  let isComplete = true;
  for (const name of kernel.modules.slice(0, MOST_ASKED)) {
    if ((await host.files.stat(`/sys/module/${name.replaceAll('-', '_')}`)) !== undefined) continue;
    isComplete = false;
    const { exitStatus, timedOut, stderr } = await host.processes.run({
      argv: ['modprobe', '--dry-run', '--', name],
      env: { LC_ALL: 'C' },
      timeoutMs: ASK_MS,
    });
    if (!timedOut && exitStatus === 1 && /not found/.test(stderr))
      warn('KernelModuleNotLoaded', `There is no kernel module ${printable(name)} on this machine`);
  }
  // A module that is still to be loaded brings settings of its own.
  if (!isComplete) return found;
  for (const name of Object.keys(kernel.sysctls).slice(0, MOST_ASKED)) {
    // As in sysctl(8), a dot in a name is a slash in the path and vice versa.
    const path = `/proc/sys/${name.replace(/[./]/g, (sign) => (sign === '.' ? '/' : '.'))}`;
    if ((await host.files.stat(path).catch(() => undefined)) === undefined)
      warn('SysctlNotSet', `The kernel of this machine has no setting ${printable(name)}`);
  }
  return found;
}

const BEGIN = '# From the settings of the node (slipway.kernel); changes between these lines are lost.';
const END = '# End of the settings of the node.';

/** The text with `lines` between two marks. They replace an earlier block or go to the end. */
function withBlock(text: string, lines: readonly string[]): string {
  const from = text.indexOf(`${BEGIN}\n`);
  const to = text.indexOf(`${END}\n`, from);
  const block = lines.length === 0 ? '' : `${[BEGIN, ...lines, END].join('\n')}\n`;
  if (from >= 0 && to >= 0) return text.slice(0, from) + block + text.slice(to + END.length + 1);
  const gap = text === '' || text.endsWith('\n') || block === '' ? '' : '\n';
  return `${text}${gap}${block}`;
}
