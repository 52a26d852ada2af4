import type { Redactor } from '../../../secrets/redact.ts';
import { RUN_DIR } from '../../document/paths.ts';
import type { Watch } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import type { DurableHandle } from '../../host/processes.ts';
import { cloudInitPer } from './cloud-init-per.ts';
import { type Marks, parseMarks, type ScriptItem, sessionScript } from './session-script.ts';
import { FIRST_STATE, stateAfter } from './shell-state.ts';

/** How a command of the session ended. */
export type CommandEnd =
  | { kind: 'ended'; exitStatus: number; lines: string[] }
  /** The shell itself ended in this command: `exit`, `set -e`, a syntax error, or a signal. */
  | { kind: 'shell-ended'; exitStatus: number | undefined; lines: string[] }
  /** The shell ended before it came to the command: there is none below the root, or it cannot be run. */
  | { kind: 'not-begun'; exitStatus: number; lines: string[] };

export interface SessionOptions {
  /** Names the shell's files; one session of a name at a time. */
  name: string;
  items: ScriptItem[];
  /** Default: /bin/sh. */
  shell?: string;
  env: Record<string, string>;
  /** What the document writes, and its commands may run. */
  written?: () => readonly (string | Uint8Array)[];
  redactor: () => Redactor;
  output: (line: string, stream: 'stdout' | 'stderr') => void;
}

const KEPT_LINES = 20;
const TELL_MS = 10_000;
/** After its last command the shell gets this long for its own end, such as a trap of the document's. */
const END_MS = 5000;
/** How many shells may vanish before they have come to an item. */
const STARTS = 3;
/** Some file systems report no change, so the session looks at the marks this often. */
const LOOK_MS = 100;

const NO_MARKS: Marks = { ended: new Map() };

function marksIn(bytes: Buffer | undefined): Marks {
  return bytes ? parseMarks(bytes.toString('utf8')) : NO_MARKS;
}

/**
 * The shell in which a document's commands run; see `session-script.ts`. It outlives the agent: the next
 * agent finds it, learns what it did meanwhile, and goes on with it.
 */
export class ShellSession {
  readonly directory: string;
  readonly #host: Host;
  readonly #options: SessionOptions;
  #handle: DurableHandle | undefined;
  #over: { exitStatus: number | undefined } | undefined;
  #lines: string[] = [];
  #muted = false;
  /** The last item that got leave; its shell may not have said yet that it goes on. */
  #toldItem: number | undefined;
  #isDone = false;
  #watch: Watch | undefined;
  #seen: Marks = NO_MARKS;
  /** Something may have changed since `#seen` was read. */
  #isStale = true;
  #wake: (() => void) | undefined;
  #nextLook: Promise<void> | undefined;
  readonly #abort = new AbortController();

  constructor(host: Host, options: SessionOptions) {
    this.#host = host;
    this.#options = options;
    this.directory = `${RUN_DIR}/shell/${options.name}`;
  }

  isLast(index: number): boolean {
    return index === this.#options.items.length - 1;
  }

  /**
   * Starts the shell, or finds it, before the turn of item `index`, so that it waits for that turn. If that
   * fails, `run` tries again and says why.
   */
  async begin(index: number): Promise<void> {
    await this.#attach(index).catch(() => undefined);
  }

  /** Runs item `index`, waits for it if an earlier agent began it, or says how it ended meanwhile. */
  async run(index: number, signal: AbortSignal): Promise<CommandEnd> {
    const stop = () => this.#abort.abort();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      const marks = await this.#reach(index);
      if (marks?.waiting === index) {
        this.#lines = [];
        await this.#tell(`${index} go`);
        this.#toldItem = index;
      }
      const end = await this.#waitFor(index, () => false);
      this.#handle?.catchUp();
      const exitStatus = end?.ended.get(index);
      this.#isDone = end !== undefined && this.isLast(index);
      if (exitStatus !== undefined) return { kind: 'ended', exitStatus, lines: this.#lines };
      const over = this.#over?.exitStatus;
      if (over !== undefined && !marks && !this.#beganIn(await this.#marks(), index))
        return { kind: 'not-begun', exitStatus: over, lines: this.#lines };
      return { kind: 'shell-ended', exitStatus: over, lines: this.#lines };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /**
   * Waits until a shell that is running has come to the agent's own item `index`; its state is saved then.
   */
  async waitBefore(index: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || (await this.#state()) !== 'running') return;
    const marks = await this.#reach(index);
    if (marks?.waiting === index) await this.#takeState(marks);
  }

  /** Lets a shell that waits at the agent's own item `index` go on with that item's exit status. */
  async answer(index: number, exitStatus: number): Promise<void> {
    if ((await this.#state()) !== 'running') return;
    await this.#attach(index);
    const marks = await this.#waitFor(index, (seen) => seen.waiting === index);
    if (marks?.waiting !== index) return;
    await this.#tell(`${index} status ${exitStatus}`);
    this.#toldItem = index;
  }

  /** Ends the shell, if it still runs, and removes its files. What a command left running goes on. */
  async close(): Promise<void> {
    // The name says what the commands are: no agent has ever started a shell for none.
    if (this.#options.items.length === 0) return;
    if (this.#isDone && !this.#over) {
      await Promise.race([this.#handle?.result, this.#host.clock.sleep(END_MS, this.#abort.signal)]);
    }
    // With a reason, so that Node.js makes no error with its stack: here and below.
    this.#abort.abort('closed');
    await this.#handle?.result;
    this.#watch?.close();
    await this.#host.processes.forgetDurable(this.#options.name);
    await this.#host.files.remove(this.directory);
  }

  #state(): ReturnType<Host['processes']['findDurable']> {
    return this.#host.processes.findDurable(this.#options.name);
  }

  async #attach(index: number): Promise<void> {
    if (this.#handle && !this.#over) return;
    const found = await this.#state();
    // After a shell that ended or vanished before this item, a new one starts here.
    const tellsOfIt =
      found === 'running' || (found === 'ended' && !this.#over && this.#beganIn(await this.#marks(), index));
    if (!tellsOfIt) await this.#prepare(index);
    const redactor = this.#options.redactor();
    const handle = await this.#host.processes.startDurable({
      name: this.#options.name,
      argv: [this.#options.shell ?? '/bin/sh', `${this.directory}/script`],
      env: this.#options.env,
      signal: this.#abort.signal,
      onLine: (raw, stream) => {
        if (this.#muted) return;
        // A here-document without its end takes the rest of the script for its text.
        if (raw.includes('__slipway_')) return;
        const line = redactor.line(raw);
        if (line === undefined) return;
        this.#lines = [...this.#lines.slice(1 - KEPT_LINES), line];
        this.#options.output(line, stream);
      },
    });
    // An earlier agent has shown what an adopted shell printed before.
    this.#muted = handle.adopted;
    handle.catchUp();
    this.#muted = false;
    this.#handle = handle;
    this.#over = undefined;
    this.#watch?.close();
    this.#watch = this.#host.files.watch(`${this.directory}/marks`, () => this.#noteChange());
    this.#isStale = true;
    void handle.result.then(({ exitStatus }) => {
      this.#over = { exitStatus };
      this.#noteChange();
    });
  }

  /**
   * The marks at which the shell waits at item `index`, runs it or has run it. A shell that vanished before
   * that has run nothing of the item, so another one begins there: the agent that started it may have died
   * before it gave the word.
   */
  async #reach(index: number): Promise<Marks | undefined> {
    for (let left = STARTS; ; left -= 1) {
      await this.#attach(index);
      const marks = await this.#waitFor(
        index,
        (seen) => seen.waiting === index || seen.running === index || this.#isPassed(seen, index),
      );
      if (marks && this.#isPassed(marks, index)) {
        const { waiting } = marks;
        await this.#tell(`${waiting} leave`);
        // The shell ends now; or it has gone on, because an earlier agent that was killed had told it to.
        await this.#waitFor(index, (seen) => seen.waiting !== waiting);
        continue;
      }
      const vanished = !marks && this.#over?.exitStatus === undefined && !this.#abort.signal.aborted;
      if (!vanished || left <= 1 || this.#beganIn(await this.#marks(), index)) return marks;
    }
  }

  /** The shell waits at an item before this one, which an earlier run has done: it goes, and another one begins here. */
  #isPassed({ waiting, ended }: Marks, index: number): boolean {
    return waiting !== undefined && waiting < index && waiting !== this.#toldItem && !ended.has(index);
  }

  #beganIn(marks: Marks, index: number): boolean {
    return marks.ended.has(index) || marks.running === index;
  }

  async #prepare(first: number): Promise<void> {
    const { files, processes } = this.#host;
    await this.#takeState(await this.#marks());
    await processes.forgetDurable(this.#options.name);
    await files.mkdir(this.directory, 0o700);
    await files.remove(`${this.directory}/go`);
    const mode = 0o600;
    const { items, written } = this.#options;
    const per = cloudInitPer([...items.map(({ shell }) => shell), ...(written?.() ?? [])]);
    // A reboot takes it anyway, so waiting for the disk gains nothing.
    await files.writeAll([
      ...per.files,
      { path: `${this.directory}/marks`, content: '', options: { mode, volatile: true } },
      {
        path: `${this.directory}/script`,
        content: sessionScript(this.directory, items, first, per.find),
        options: { mode, volatile: true },
      },
    ]);
  }

  /** Makes what the shell saved last the state that the next shell, or kubeadm, begins with. */
  async #takeState({ ended }: Marks): Promise<void> {
    const last = Math.max(...ended.keys());
    if (last < 0) return;
    const { files } = this.#host;
    const saved = stateAfter(last);
    for (const what of ['env', 'cwd'] as const) {
      const path = `${this.directory}/${saved[what]}`;
      if (await files.stat(path)) await files.rename(path, `${this.directory}/${FIRST_STATE[what]}`);
    }
  }

  /**
   * Until item `index` has ended, the shell is over, or `done` holds. Undefined when the shell ended without
   * a mark.
   */
  async #waitFor(index: number, done: (marks: Marks) => boolean): Promise<Marks | undefined> {
    for (;;) {
      const over = this.#over;
      const marks = await this.#marks();
      if (marks.ended.has(index)) return marks;
      if (over) return undefined;
      if (done(marks)) return marks;
      await this.#change();
    }
  }

  /** Waits for the next mark, the shell's end, or `LOOK_MS`; not at all where one came after the marks were read. */
  async #change(): Promise<void> {
    if (this.#isStale) return;
    const { signal } = this.#abort;
    // One that is aborted would end it at once.
    this.#nextLook ??= this.#host.clock.sleep(LOOK_MS, signal.aborted ? undefined : signal).then(() => {
      this.#nextLook = undefined;
      this.#noteChange();
    });
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #noteChange(): void {
    this.#isStale = true;
    this.#wake?.();
  }

  /** Under watch they are read anew only where they may have changed: between two commands they are asked for several times. */
  async #marks(): Promise<Marks> {
    if (!this.#watch) return marksIn(await this.#host.files.readIfPresent(`${this.directory}/marks`));
    if (this.#isStale) {
      this.#isStale = false;
      this.#seen = marksIn(this.#watch.read());
    }
    return this.#seen;
  }

  async #tell(word: string): Promise<void> {
    await this.#host.files.tell(`${this.directory}/go`, word, TELL_MS);
  }
}
