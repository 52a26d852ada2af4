import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../../../kit/errors.ts';
import { RUN_DIR } from '../../../document/paths.ts';
import { followRun, statusIn, textIn } from '../../common/process/run-program.ts';
import { elapsedMs } from '../../common/system/clock.ts';
import { HostError } from '../../host.ts';
import type { DurableHandle, DurableSpec } from '../../processes.ts';
import { resolveInRoot } from '../files/paths/resolve.ts';
import { childEnvironment, inRoot } from './child-environment.ts';
import { identifyProcess, isSameProcess, type ProcessIdentity, terminateGroup } from './process-table.ts';
import { startDetached } from './start-detached.ts';
import { WRAPPER } from './wrapper.ts';

const POLL_MS = 100;

type DurableState = 'running' | 'ended' | 'vanished';

interface Started {
  identity: ProcessIdentity | undefined;
  /** Resolves at the program's end. */
  ended: Promise<void>;
}

/** Programs that outlive the agent; see `DurableSpec`. Files: /run/slipway/exec/NAME, mode 0700. */
export class DurablePrograms {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  find(name: string): DurableState | undefined {
    const dir = this.#dir(name);
    // Mostly nothing is there, and each file that cannot be read is an error with its stack.
    if (!existsSync(dir)) return undefined;
    const identity = readIdentity(dir);
    if (statusIn(dir) !== undefined) return 'ended';
    if (identity === undefined) return undefined;
    if (isSameProcess(identity)) return 'running';
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
    const { identity, ended } = adopted ? this.#adopt(dir) : this.#start(dir, spec);
    const stop = () => {
      if (identity && isSameProcess(identity)) terminateGroup(identity.pid);
    };
    spec.signal?.addEventListener('abort', stop);
    if (spec.signal?.aborted) stop();
    const over = ended.finally(() => spec.signal?.removeEventListener('abort', stop));
    return followRun({ dir, adopted, ended: over, started }, spec);
  }

  #start(dir: string, spec: DurableSpec): Started {
    rmSync(dir, { recursive: true, force: true });
    // The verdict beside it is world-readable; the mode below counts for each folder that is made.
    mkdirSync(resolveInRoot(this.#root, RUN_DIR), { recursive: true, mode: 0o755 });
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const stream of ['stdout', 'stderr']) closeSync(openSync(join(dir, stream), 'a', 0o600));
    const child = startDetached(
      '/bin/sh',
      ['-c', WRAPPER, 'slipway-run', dir, ...inRoot(this.#root, spec.argv)],
      childEnvironment(spec.env),
    );
    const ended = child.ended.catch((error: unknown) => {
      throw new HostError(`starting ${spec.argv[0]}: ${errorMessage(error)}`, 'ENOEXEC');
    });
    const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
    try {
      if (identity) writeFileSync(join(dir, 'pid'), JSON.stringify(identity), { mode: 0o600 });
    } finally {
      // The wrapper waits for this, and then looks for the note.
      child.endInput();
    }
    return { identity, ended };
  }

  #adopt(dir: string): Started {
    const identity = readIdentity(dir);
    return { identity, ended: endOf(dir, identity) };
  }

  #dir(name: string): string {
    return resolveInRoot(this.#root, `${RUN_DIR}/exec/${name}`);
  }
}

/** Of a program that another process has started. */
async function endOf(dir: string, identity: ProcessIdentity | undefined): Promise<void> {
  while (statusIn(dir) === undefined && identity && isSameProcess(identity))
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

function readIdentity(dir: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(textIn(dir, 'pid') ?? '');
  } catch {
    // Missing, or torn by a full disk: in either case nothing was begun.
    return undefined;
  }
}
