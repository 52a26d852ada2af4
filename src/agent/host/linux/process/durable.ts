import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_DIR } from '../../../document/paths.ts';
import { followRun, statusIn, textIn } from '../../common/process/durable-run.ts';
import { elapsedMs } from '../../common/system/clock.ts';
import { childProcess } from '../../common/system/late-modules.ts';
import { HostError } from '../../host.ts';
import type { DurableHandle, DurableSpec } from '../../processes.ts';
import { resolveInRoot } from '../files/paths/resolve.ts';
import { childEnvironment, inRoot } from './child-environment.ts';
import { endGroup } from './end-group.ts';
import { identify, isSame, type ProcessIdentity } from './process-table.ts';

/**
 * Runs the program and writes its exit status to a file. It starts the program only when the agent says "go",
 * and the agent says so only after it has noted the wrapper's identity: no program ever runs without a trace.
 * The wrapper ignores SIGTERM, so that it can still note its child's end when somebody asks the whole group
 * to stop. The status is one write of a few bytes and counts only with its line end, so that a full disk
 * cannot turn a failure into a success. The redirections belong to a subshell, so that the wrapper's own words
 * ("Terminated") do not get among the program's.
 */
const WRAPPER = `
read -r go || exit 125
[ "$go" = go ] || exit 125
trap : TERM INT HUP
dir=$1; shift
(exec "$@") </dev/null >>"$dir/stdout" 2>>"$dir/stderr"
echo $? >"$dir/status"
`;

const POLL_MS = 100;

type DurableState = 'running' | 'ended' | 'vanished';

/** Programs that outlive the agent; see `DurableSpec`. Files: /run/slipway/exec/NAME, mode 0700. */
export class DurablePrograms {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  find(name: string): DurableState | undefined {
    const dir = this.#dir(name);
    const identity = readIdentity(dir);
    if (statusIn(dir) !== undefined) return 'ended';
    if (identity === undefined) return undefined;
    if (isSame(identity)) return 'running';
    // It may have ended between the two looks.
    return statusIn(dir) === undefined ? 'vanished' : 'ended';
  }

  forget(name: string): void {
    rmSync(this.#dir(name), { recursive: true, force: true });
  }

  async start(spec: DurableSpec): Promise<DurableHandle> {
    const started = elapsedMs();
    const dir = this.#dir(spec.name);
    const found = this.find(spec.name);
    const adopted = found === 'running' || found === 'ended';
    const ended = adopted ? this.#adopt(dir) : this.#start(dir, spec);
    const identity = readIdentity(dir);
    const stop = () => {
      if (identity && isSame(identity)) endGroup(identity.pid);
    };
    spec.signal?.addEventListener('abort', stop);
    if (spec.signal?.aborted) stop();
    const over = ended.finally(() => spec.signal?.removeEventListener('abort', stop));
    return followRun({ dir, adopted, ended: over, started }, spec);
  }

  /** Resolves at the program's end. */
  #start(dir: string, spec: DurableSpec): Promise<void> {
    rmSync(dir, { recursive: true, force: true });
    // Everybody may read the verdict beside it; the mode below counts for each folder that is made.
    mkdirSync(resolveInRoot(this.#root, RUN_DIR), { recursive: true, mode: 0o755 });
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const stream of ['stdout', 'stderr']) closeSync(openSync(join(dir, stream), 'a', 0o600));
    const child = childProcess().spawn(
      '/bin/sh',
      ['-c', WRAPPER, 'slipway-run', dir, ...inRoot(this.#root, spec.argv)],
      {
        env: childEnvironment(spec.env),
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    const ended = new Promise<void>((resolve, reject) => {
      child.on('exit', () => resolve());
      child.on('error', (error) =>
        reject(new HostError(`starting ${spec.argv[0]}: ${error.message}`, 'ENOEXEC')),
      );
    });
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity) writeFileSync(join(dir, 'pid'), JSON.stringify(identity), { mode: 0o600 });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end('go\n');
    return ended;
  }

  async #adopt(dir: string): Promise<void> {
    const identity = readIdentity(dir);
    while (statusIn(dir) === undefined && identity && isSame(identity)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  #dir(name: string): string {
    return resolveInRoot(this.#root, `${RUN_DIR}/exec/${name}`);
  }
}

function readIdentity(dir: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(textIn(dir, 'pid') ?? '');
  } catch {
    // Missing, or torn by a full disk: in either case nobody said "go".
    return undefined;
  }
}
