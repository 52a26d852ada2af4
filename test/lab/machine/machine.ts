import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freeAmounts, NEEDS, shortages } from '../host/capacity.ts';
import { destroyGroup, hierarchies, makeGroup } from '../host/cgroups.ts';
import { labGroup } from '../lab-record.ts';
import {
  type Finished,
  finish,
  LabError,
  lastLines,
  type Running,
  type RunOptions,
  type StartOptions,
  start,
  startApart,
} from '../process/command.ts';
import { waitFor } from '../process/wait-for.ts';
import { isFrozen } from './boot-trouble.ts';
import { enterArgs, execGroups, JOIN_GROUPS } from './machine-enter.ts';
import {
  bootCount,
  initPid,
  type MachineRecord,
  type MachineState,
  machineDir,
  machineState,
} from './machine-record.ts';

interface ExecOptions extends Pick<RunOptions, 'input' | 'timeoutMs' | 'onOutput'> {
  env?: Readonly<Record<string, string>>;
}

/** How far a boot must have come: PID 1 answers, or the container runtime is up as well. */
export type Readiness = 'init' | 'containerd';

/** A command of the shell. kubeadm needs no crictl from 1.31 on, so a release's programs may come without it. */
export const CRI_ANSWERS =
  "if command -v crictl; then crictl info; else ctr plugins ls | grep 'cri .* ok'; fi >/dev/null 2>&1";

/** containerd says that it has started before its CRI service answers. */
const READY: Record<Readiness, string> = {
  init: 'systemctl is-active --quiet sysinit.target',
  containerd: `systemctl is-active --quiet dbus.service containerd.service && ${CRI_ANSWERS}`,
};

/** A boot takes seconds, on a busy host minutes. */
const BOOT_LIMIT_MS = 300_000;

/** One machine of a lab: systemd in namespaces, with a disk that outlives its boots. */
export class Machine {
  readonly name: string;
  readonly ip: string;
  readonly record: MachineRecord;
  readonly #dir: string;
  readonly #group: string;

  constructor(record: MachineRecord) {
    this.record = record;
    this.name = record.name;
    this.ip = record.ip;
    this.#dir = machineDir(record.lab, record.name);
    this.#group = join(labGroup(record.lab), `m-${record.name}`);
  }

  get state(): MachineState {
    return machineState(this.#dir);
  }

  /**
   * The host's path of the running machine's root. Absolute symbolic links on the way lead out of it: for paths that
   * may have such, use `read`.
   */
  get root(): string {
    return `/proc/${this.#init()}/root`;
  }

  /** What the machine wrote on its console, all boots. */
  get console(): string {
    const file = join(this.#dir, 'console.log');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Run a command inside to its end; its exit status is in the answer, never thrown. No shell is put between. */
  async exec(command: readonly string[], options: ExecOptions = {}): Promise<Finished> {
    const running = this.#startIn(this.#init(), command, { input: '', ...options, ownGroup: true });
    return finish(running, `[${this.name}] ${command.join(' ')}`, options);
  }

  /** `exec` that throws when the command fails; returns stdout. */
  async execOk(command: readonly string[], options: ExecOptions = {}): Promise<string> {
    const done = await this.exec(command, options);
    if (done.code === 0) return done.stdout;
    const said = lastLines(`${done.stdout}\n${done.stderr}`, 15);
    throw new LabError(
      `[${this.name}] \`${command.join(' ')}\` ended with ${done.signal ?? `status ${done.code}`}:\n${said}`,
    );
  }

  /**
   * Start a command inside; its end and its streams are the caller's to wait for. With `stdio: 'inherit'` it talks to
   * this terminal.
   */
  spawn(
    command: readonly string[],
    options: Pick<StartOptions, 'stdio'> & Pick<ExecOptions, 'env'> = {},
  ): Running {
    return this.#startIn(this.#init(), command, { ...options, buffer: false });
  }

  #startIn(
    init: number,
    command: readonly string[],
    { env, ...options }: Omit<StartOptions, 'env'> & Pick<ExecOptions, 'env'>,
  ): Running {
    const args = enterArgs(init, execGroups(this.#group, hierarchies()), command, env);
    return start('sh', args, { ...options, cwd: '/' });
  }

  /** Write a file, folders included. Not atomic: it is for arranging, not for racing the machine. */
  async put(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
    const script = 'umask 022; mkdir -p "$(dirname "$2")"; umask 077; cat > "$2"; chmod "$1" "$2"';
    await this.execOk(['sh', '-ec', script, 'sh', mode.toString(8), path], { input: content });
  }

  /** The text of a file. @throws LabError where it cannot be read */
  read(path: string): Promise<string> {
    return this.execOk(['cat', path]);
  }

  async exists(path: string): Promise<boolean> {
    return (await this.exec(['test', '-e', path])).code === 0;
  }

  /** The journal: of one unit, or of all; of this boot unless `allBoots`. */
  logs(unit?: string, options: { allBoots?: boolean } = {}): Promise<string> {
    const which = unit === undefined ? [] : ['--unit', unit];
    return this.execOk([
      'journalctl',
      '--no-pager',
      '--output=short-precise',
      ...(options.allBoots ? [] : ['--boot']),
      ...which,
    ]);
  }

  /** Poll until the question's answer is not false, undefined or null. */
  waitFor<T>(question: () => Promise<T>, options: { timeoutMs: number; what?: string }) {
    return waitFor(question, { ...options, what: options.what ?? `${this.name} to be as asked` });
  }

  /** Switch it on. @throws LabError when it does not come up, with its last console lines */
  async boot(ready: Readiness = 'containerd'): Promise<void> {
    if (this.state === 'booting' || this.state === 'running')
      throw new LabError(`machine "${this.name}" is on already`);
    const before = bootCount(this.#dir);
    await makeGroup(this.#group);
    await makeGroup(this.#keeperGroup);
    await writeFile(join(this.#dir, 'desired'), 'on\n');
    // What the last run ended with must not be taken for this one's.
    await rm(join(this.#dir, 'state'), { force: true });
    const script = join(import.meta.dirname, 'machine-supervise.sh');
    const keepers = hierarchies().map((h) => join(h.mountpoint, this.#keeperGroup));
    const args = ['-c', JOIN_GROUPS, 'lab-boot', ...keepers, '--', 'bash', '--norc', script, this.#dir];
    startApart('sh', args, { stdio: 'ignore', cwd: '/' }).unref();
    await this.booted(before, ready);
  }

  /**
   * Restart it: in order, as `systemctl reboot` does, or `hard`, as if the power went. The disk stays, /run is new,
   * and so is the boot id.
   */
  async reboot(options: { hard?: boolean; ready?: Readiness } = {}): Promise<void> {
    const before = bootCount(this.#dir);
    if (options.hard) process.kill(this.#init(), 'SIGKILL');
    else await this.#ask('reboot');
    await this.booted(before, options.ready ?? 'containerd');
  }

  /** Switch it off and keep its disk; `boot` starts it again. */
  async powerOff(options: { hard?: boolean } = {}): Promise<void> {
    await writeFile(join(this.#dir, 'desired'), 'off\n');
    if (options.hard) process.kill(this.#init(), 'SIGKILL');
    else await this.#ask('poweroff');
    await waitFor(async () => this.state === 'off', {
      timeoutMs: BOOT_LIMIT_MS,
      what: `${this.name} to power off`,
    });
  }

  /** Take the machine and its disk away. */
  async down(): Promise<void> {
    await writeFile(join(this.#dir, 'desired'), 'off\n');
    await destroyGroup(this.#keeperGroup);
    await destroyGroup(this.#group);
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
  }

  /** Where the supervisor is: outside the machine, so that the machine's own group is systemd's alone. */
  get #keeperGroup(): string {
    return join(labGroup(this.record.lab), `k-${this.name}`);
  }

  #init(): number {
    const pid = initPid(this.#dir);
    if (pid !== undefined) return pid;
    const state = this.state;
    const why = state === 'failed' ? `; its console last said:\n${lastLines(this.console, 10)}` : '';
    throw new LabError(`machine "${this.name}" is not running (${state})${why}`);
  }

  /** systemctl's connection is cut when the machine goes: only a refusal is an error. */
  async #ask(what: 'reboot' | 'poweroff'): Promise<void> {
    const done = await this.exec(['systemctl', '--no-wall', what], { timeoutMs: BOOT_LIMIT_MS });
    if (done.code === 1)
      throw new LabError(`machine "${this.name}" refuses to ${what}: ${done.stderr.trim()}`);
  }

  /** How often it was booted so far; with `booted`, for reboots that the machine asks for itself. */
  get boots(): number {
    return bootCount(this.#dir);
  }

  /** Wait until it is up, in a later boot than the one with number `before`. */
  async booted(before: number, ready: Readiness = 'containerd'): Promise<void> {
    const consoleBefore = this.console.length;
    const up = async (): Promise<boolean> => {
      const state = this.state;
      if (state === 'failed' || state === 'off' || state === 'dead') {
        throw new LabError(
          `machine "${this.name}" went ${state} while it booted; its console last said:\n${lastLines(this.console, 20)}`,
        );
      }
      const said = this.console.slice(consoleBefore);
      if (isFrozen(said))
        throw new LabError(
          `machine "${this.name}" does not boot: its system says on the console that it goes no further:\n${lastLines(said, 20)}`,
        );
      const init = initPid(this.#dir);
      if (bootCount(this.#dir) <= before || init === undefined) return false;
      // A systemd that does not answer yet lets those wait who ask it: killed, they are no answer.
      const running = this.#startIn(init, ['sh', '-c', READY[ready]], { timeoutMs: 20_000 });
      return (await running).exitCode === 0;
    };
    try {
      await waitFor(up, { timeoutMs: BOOT_LIMIT_MS, what: `${this.name} to boot`, everyMs: 50 });
    } catch (error) {
      if (error instanceof LabError && !error.message.includes('console')) {
        const lacking = shortages(NEEDS.worker, freeAmounts()).map((line) => `; ${line}`);
        throw new LabError(
          `${error.message}${lacking.join('')}; its console last said:\n${lastLines(this.console, 20)}`,
        );
      }
      throw error;
    }
  }
}

/** Make the directories of a new machine's disk; `mkdir` with the modes of a root. */
export async function makeDisk(record: MachineRecord): Promise<string> {
  const dir = machineDir(record.lab, record.name);
  for (const sub of ['upper', 'work', 'root', 'disk/var/lib'])
    await mkdir(join(dir, sub), { recursive: true, mode: 0o755 });
  return dir;
}
