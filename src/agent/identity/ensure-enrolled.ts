import type { MachineIdentity } from '../../protocol/events.ts';
import { type Host, HostError, type Lock } from '../host/host.ts';
import { type EnrolmentMethod, enrol } from './enrol.ts';
import { type Identity, readIdentity } from './identity.ts';
import type { SendRequest } from './send-request.ts';

const LOOK_MS = 200;
/** Longer than a slow TPM and a slow network take. */
const PATIENCE_MS = 60_000;

/**
 * The machine's certificate, or its first one: the agent and the reporter start together, and of two keys the controller would
 * take one for the other's thief.
 *
 * @param mustStore see `enrol`
 * @throws EnrolmentRefused, TpmProblem, WireError, HostError
 */
export async function ensureEnrolled(
  host: Host,
  machine: MachineIdentity,
  enrolmentMethod: EnrolmentMethod,
  send: SendRequest,
  mustStore: boolean,
): Promise<Identity> {
  const lock = await lockOf(host);
  try {
    return (
      (await readIdentity(host, machine.instance)) ??
      (await enrol(host, machine, enrolmentMethod, send, { mustStore }))
    );
  } finally {
    await lock?.release();
  }
}

/** Undefined where nothing can be locked: the machine must tell of its full disk all the same. */
async function lockOf(host: Host): Promise<Lock | undefined> {
  const end = host.clock.monotonic() + PATIENCE_MS;
  try {
    for (;;) {
      const lock = await host.lock('identity');
      if (!('heldBy' in lock)) return lock;
      if (host.clock.monotonic() > end) return undefined;
      await host.clock.sleep(LOOK_MS);
    }
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
