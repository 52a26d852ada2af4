import { INSTANCE_NOTE, STATE_DIR } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';
import { machineInstance } from './instance.ts';

const MOST_BYTES = 4096;

/** Notes for whom a bootstrap has succeeded on this machine, for boots at which its source does not say. */
export async function noteInstance(host: Host, instance: string): Promise<void> {
  try {
    if (instance === (await lastInstance(host))) return;
    const note = { version: 1, instance, machine: await host.machineId() };
    await host.files.mkdir(STATE_DIR, 0o700);
    await host.files.write(INSTANCE_NOTE, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch (error) {
    // Nothing of the success rests on it.
    if (!(error instanceof HostError)) throw error;
  }
}

/** For whom this machine was bootstrapped, as far as it can tell by itself; a note that came with an image does not count. */
export async function lastInstance(host: Host): Promise<string> {
  const bytes = await host.files.readIfPresent(INSTANCE_NOTE, MOST_BYTES).catch(() => undefined);
  const { instance, machine } = read(bytes?.toString('utf8') ?? '');
  const isOwn = typeof machine === 'string' && machine === (await host.machineId());
  return isOwn && typeof instance === 'string' ? instance : machineInstance(host);
}

function read(text: string): { instance?: unknown; machine?: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
