import { createCsr, createKey } from '../../pki/csr.ts';
import { CHANNEL_BYTES, CHANNEL_LABEL, proofBody } from '../../protocol/attestation.ts';
import {
  ENROLMENT_VERSION,
  type EnrolReply,
  MAX_ENROLMENT_BYTES,
  nodeProofBody,
  readEnrolReply,
} from '../../protocol/enrolment.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import { ENROL_PATH, WANTS_NODE } from '../../protocol/exchange.ts';
import { IDENTITY_DIR } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';
import type { HttpResponse } from '../host/network.ts';
import { EnrolmentRefused } from './enrolment-refused.ts';
import { type Identity, type Moment, newIdentity, storeIdentity } from './identity.ts';
import type { ProofSubject } from './prove-by-tpm.ts';
import { proveNode } from './prove-node.ts';
import type { SendRequest } from './send-request.ts';

/** Keying material that names the connection. */
const CHANNEL = { label: CHANNEL_LABEL, bytes: CHANNEL_BYTES };

const PENDING_KEY = `${IDENTITY_DIR}/pending.json`;

/** How the machine proves itself: the first time by a token or its TPM (the device's path), later by its certificate. */
export type EnrolmentMethod = { token: string } | { tpm: string } | 'certificate';

interface EnrolOptions {
  /** A key that the controller may know already, to use it again. */
  readonly knownKey?: string;
  /**
   * Fail rather than return a certificate that the disk refuses. The use of a certificate ends the one before, so a machine
   * that finds the old one on its disk later would pass for a copy of itself. Nothing is asked where the disk takes no key.
   */
  readonly mustStore: boolean;
}

/**
 * Gets a certificate for a key that is made here and never leaves: with a token or by its TPM the first time,
 * over mutual TLS to renew. It stores the key before use, so that a lost answer does not waste a one-time token: the
 * controller accepts the same token again with the same key.
 *
 * @throws EnrolmentRefused, TpmProblem, WireError for an invalid answer, HostError if there was no answer, or the disk refuses
 * what must be stored
 */
export async function enrol(
  host: Host,
  machine: MachineIdentity,
  enrolmentMethod: EnrolmentMethod,
  send: SendRequest,
  { knownKey, mustStore }: EnrolOptions,
): Promise<Identity> {
  const key = await pendingKey(host, machine.instance, knownKey, mustStore);
  // The controller decides the names; X.509 allows 64 characters in this field.
  const csr = createCsr(key, machine.instance.slice(0, 64));
  const request = {
    version: ENROLMENT_VERSION,
    ...(await proofOf(host, enrolmentMethod, { machine, csr }, send)),
    csr,
    machine,
  };
  const answer = await sendEnrolment(host, request, send);
  if (answer.status !== 200)
    throw new EnrolmentRefused(
      answer,
      typeof enrolmentMethod === 'object' && 'tpm' in enrolmentMethod ? 'tpm' : 'token',
    );
  const reply: EnrolReply = readEnrolReply(Buffer.from(answer.body).subarray(0, MAX_ENROLMENT_BYTES));
  const now = await currentMoment(host);
  // The header has the controller's clock. Our own may be wrong, so the certificate's lifetime does not
  // depend on it.
  const signedAt = Date.parse(answer.headers.date ?? '') || now.time;
  const given = { ...now, lifeMs: Date.parse(reply.expiresAt) - signedAt };
  const identity = newIdentity(key, reply, given);
  let stored: Identity;
  try {
    stored = await storeIdentity(host, machine.instance, identity);
  } catch (error) {
    if (!(error instanceof HostError) || mustStore) throw error;
    // The key stays pending, because the token is spent for it.
    return identity;
  }
  try {
    await host.files.remove(PENDING_KEY);
  } catch (error) {
    // It holds no more than client.key does.
    if (!(error instanceof HostError)) throw error;
  }
  return stored;
}

/** Sends it, and once more with a proof that this machine is a Node where the controller wants one. */
async function sendEnrolment(host: Host, request: { csr: string }, send: SendRequest): Promise<HttpResponse> {
  const answer = await send(ENROL_PATH, Buffer.from(JSON.stringify(request)), CHANNEL);
  const { exported } = answer;
  if (answer.status === 200 || exported === undefined || !wantsNode(answer.body)) return answer;
  const node = await proveNode(host, request.csr, exported);
  if (node === undefined) return answer;
  return await send(ENROL_PATH, Buffer.from(JSON.stringify({ ...request, node: nodeProofBody(node) })));
}

/** Does this refusal want the proof that the machine is its Machine's Node? */
export function wantsNode(body: string): boolean {
  try {
    return JSON.parse(body).wants === WANTS_NODE;
  } catch {
    return false;
  }
}

async function proofOf(
  host: Host,
  enrolmentMethod: EnrolmentMethod,
  what: ProofSubject,
  send: SendRequest,
): Promise<object> {
  if (enrolmentMethod === 'certificate') return {};
  if ('token' in enrolmentMethod) return { token: enrolmentMethod.token };
  const { proveByTpm } = await import('./prove-by-tpm.ts');
  return { proof: proofBody(await proveByTpm(host, enrolmentMethod.tpm, what, send)) };
}

/** The present moment by both clocks. */
export async function currentMoment(host: Host): Promise<Moment> {
  return { boot: await host.bootId(), mono: host.clock.monotonic(), time: host.clock.now().getTime() };
}

/** The key to ask with: the known one, one that was asked with before, or a new one. */
async function pendingKey(
  host: Host,
  instance: string,
  knownKey: string | undefined,
  mustStore: boolean,
): Promise<string> {
  const kept = knownKey ?? (await readPendingKey(host, instance));
  if (kept !== undefined && !mustStore) return kept;
  const key = kept ?? createKey();
  try {
    // Written again if it is there already: that shows whether the disk takes anything.
    await host.files.mkdir(IDENTITY_DIR, 0o700);
    await host.files.write(PENDING_KEY, JSON.stringify({ instance, key }), { mode: 0o600 });
  } catch (error) {
    // A full disk must not keep the machine from reporting that its disk is full.
    if (!(error instanceof HostError) || mustStore) throw error;
  }
  return key;
}

async function readPendingKey(host: Host, instance: string): Promise<string | undefined> {
  try {
    const bytes = await host.files.readIfPresent(PENDING_KEY, 65_536);
    const kept = bytes && readPending(bytes.toString('utf8'));
    return kept?.instance === instance ? kept.key : undefined;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

function readPending(text: string): { instance: string; key: string } | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value?.key === 'string' && typeof value.instance === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
