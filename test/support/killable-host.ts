import type { AppendHandle } from '../../src/agent/host/files.ts';
import type { Host } from '../../src/agent/host/host.ts';

/** How an agent dies at a record of its journal. */
export type AgentDeath =
  /** The power fails while the record is written: half of it is there. */
  | { at: number; how: 'torn' }
  /** Killed as soon as the record is on disk. */
  | { at: number; how: 'after' };

interface MortalHost {
  host: Host;
  /** Resolves when the agent on it is dead: from then on nothing that it asks of the machine is ever answered. */
  dead: Promise<void>;
  /** How many records were written. */
  written(): number;
}

const never = new Promise<never>(() => undefined);

/**
 * A host on which an agent dies: what it has begun on the machine goes on, as after SIGKILL, and nothing else ever comes
 * of it. Without a death it only counts.
 */
export function killableHost(host: Host, death?: AgentDeath): MortalHost {
  let isDead = false;
  let written = 0;
  let die = (): void => undefined;
  const dead = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
    };
  });
  const guard = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, key) {
        const value: unknown = Reflect.get(object, key);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const answer: unknown = isDead && isAsync(key) ? never : value.apply(object, args);
          if (!(answer instanceof Promise)) return answer;
          return answer.then(
            (result) => (isDead ? never : result),
            (error: unknown) => (isDead ? never : Promise.reject(error)),
          );
        };
      },
    });
  const files = guard(host.files);
  const openAppend: Host['files']['openAppend'] = async (...where) => {
    const handle = await files.openAppend(...where);
    const append: AppendHandle['append'] = async (data, durable) => {
      if (isDead) return never;
      written += 1;
      if (written !== death?.at) return handle.append(data, durable);
      await handle.append(death.how === 'torn' ? data.slice(0, data.length / 2) : data, true);
      die();
      return never;
    };
    return {
      append,
      truncate: (length) => handle.truncate(length),
      close: () => (isDead ? never : handle.close()),
    };
  };
  return {
    host: {
      ...host,
      files: new Proxy(files, {
        get: (object, key) => (key === 'openAppend' ? openAppend : Reflect.get(object, key)),
      }),
      processes: guard(host.processes),
      network: guard(host.network),
      clock: guard(host.clock),
      blockDevices: guard(host.blockDevices),
    },
    dead,
    written: () => written,
  };
}

/** What answers at once cannot be withheld from a dead agent, and does it no good. */
const isAsync = (key: string | symbol): boolean =>
  !['monotonic', 'now', 'isAlive', 'nameSelf', 'client', 'watch'].includes(String(key));
