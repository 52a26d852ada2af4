import { join } from 'node:path';
import { LabError, startApart } from '../process/command.ts';
import { type ProcessId, processId } from '../process/process-id.ts';

/** Addresses inside a lab: the switch is the first of the network, machines follow. */
export const GATEWAY = '10.99.0.1';

/** A lab's network: a bridge in a namespace of its own, alive as long as its holder process. */
interface Switch {
  holder: ProcessId;
  /** Tell the holder that the lab is gone already, and wait for its end. Only for a switch with `onOwnerGone`. */
  close: () => Promise<void>;
}

/**
 * Make the network. With `onOwnerGone`, the holder runs that command when this process ends without `close`,
 * however it ends; without it, the network stays until the holder is killed.
 */
export async function openSwitch(onOwnerGone?: readonly string[]): Promise<Switch> {
  const script = join(import.meta.dirname, 'switch.sh');
  const child = startApart('unshare', ['--net', 'bash', '--norc', script, ...(onOwnerGone ?? [])], {
    stdio: [onOwnerGone ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, GATEWAY, ...cacheVariables() },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await ready(child);
  const holder = child.pid === undefined ? undefined : processId(child.pid);
  if (holder === undefined) throw new LabError("the lab's switch died as soon as it was made");
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
  // A pipe to a child keeps Node's loop alive by itself; the lab must not hold a finished program up.
  (child.stdin as { unref?: () => void } | null)?.unref?.();
  return {
    holder,
    close: async () => {
      child.ref();
      child.stdin?.end('closed\n');
      await ended;
    },
  };
}

/** The variables that decide where the cache is, so that whoever cleans up looks in the same place. */
function cacheVariables(): Record<string, string> {
  return Object.fromEntries(
    ['SLIPWAY_LAB_CACHE', 'XDG_CACHE_HOME'].flatMap((name) => {
      const value = process.env[name];
      return value ? [[name, value]] : [];
    }),
  );
}

function ready(child: ReturnType<typeof startApart>): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
    child.stdout?.once('data', () => resolve());
    child.once('error', (error) => reject(new LabError(`cannot make the lab's network: ${error.message}`)));
    child.once('close', () => reject(new LabError(`cannot make the lab's network: ${said.trim()}`)));
  });
}
