import { createPrivateKey, X509Certificate } from 'node:crypto';
import { PAUSE_MS } from '../../kit/backoff.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import { KUBELET_KEY_PATH, kubeletKeyPurpose } from '../../protocol/kubelet-key.ts';
import { readRefusal } from '../../protocol/secret-release.ts';
import { WireError } from '../../protocol/wire.ts';
import { type ApiAccess, readKubeconfig } from '../cluster/kubeconfig.ts';
import {
  type CredentialOwner,
  type KubeletCredential,
  readKubeletCredential,
  writeKubeletCredential,
} from '../cluster/kubelet-credential.ts';
import { BOOTSTRAP_KUBECONFIG } from '../cluster/kubelet-identity.ts';
import { machineInstance } from '../engine/instance.ts';
import { type Host, HostError, type Lock } from '../host/host.ts';
import { EnrolmentRefused } from '../identity/enrolment-refused.ts';
import { withKeptAuthorities } from '../identity/kept-authorities.ts';
import { requestWithProof } from '../identity/request-with-proof.ts';
import { TpmProblem } from '../identity/tpm/tpm-problem.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { deleteToken, readToken } from './bootstrap-token.ts';
import { CredentialProblem } from './credential-problem.ts';
import {
  createPendingRequest,
  deletePendingRequest,
  type PendingRequest,
  readPendingRequest,
} from './pending-request.ts';
import { SigningRequests } from './signing-request.ts';
import { validityOf } from './validity.ts';

/** Until somebody has approved the request and it is signed. A kubelet that has a certificate to go on with does not wait for another. */
const WAIT_MS = { first: 60_000, renewal: 10_000 };
/** Longer than another call takes. */
const LOCK_MS = 150_000;
const LOOK_MS = 200;

interface Wanted {
  readonly nodeName: string;
  /** Path of the kubeconfig that names the cluster. */
  readonly kubeconfig: string;
}

export interface ObtainedCredential {
  readonly credential: KubeletCredential;
  /** Milliseconds since 1970, when to ask again; always before the certificate ends. */
  readonly until: number;
  /** Why it is not a newer one, though that is due. */
  readonly trouble?: CredentialProblem | TpmProblem | HostError;
}

/**
 * The kubelet's certificate: the one that is there while it is fresh, else a new one by a new proof of the machine. One call at
 * a time does that, and the others get what came of it.
 *
 * @throws CredentialProblem, TpmProblem, HostError
 */
export async function obtainCredential(host: Host, wanted: Wanted): Promise<ObtainedCredential> {
  const lock = await lockOf(host);
  try {
    return await give(host, wanted);
  } finally {
    await lock.release();
  }
}

async function give(host: Host, { nodeName, kubeconfig }: Wanted): Promise<ObtainedCredential> {
  const access = await readKubeconfig(host, kubeconfig);
  if (!access)
    throw new CredentialProblem('CredentialUnavailable', `${kubeconfig} is missing or names no API server`);
  const owner: CredentialOwner = { nodeName, ca: access.ca };
  const kept = await readKubeletCredential(host, owner);
  const now = host.clock.now().getTime();
  const validity = kept && validityOf(kept.certificate);
  if (kept && validity && now < validity.renewAt) {
    // A join that was tried again may have left another one.
    await deleteToken(host);
    return { credential: kept, until: validity.renewAt };
  }
  const isUsable = validity !== undefined && now < validity.usableUntil;
  try {
    const asker = await askerOf(host, access, validity && now < validity.expiresAt ? kept : undefined);
    const requests = new SigningRequests(host, asker);
    const credential = await renew(host, nodeName, requests, isUsable ? WAIT_MS.renewal : WAIT_MS.first);
    await writeKubeletCredential(host, owner, credential);
    await deletePendingRequest(host);
    await deleteToken(host);
    return checked(credential, host.clock.now().getTime());
  } catch (error) {
    const isOurs =
      error instanceof CredentialProblem || error instanceof TpmProblem || error instanceof HostError;
    if (!isOurs || !kept || !isUsable) throw error;
    return {
      credential: kept,
      until: Math.min(now + PAUSE_MS.renewal, validity.usableUntil),
      trouble: error,
    };
  }
}

/** Never one that is about to end: its bearer would be shut out in the midst of its work. */
function checked(credential: KubeletCredential, now: number): ObtainedCredential {
  const { renewAt, usableUntil, expiresAt } = validityOf(credential.certificate);
  if (now < usableUntil) return { credential, until: Math.max(Math.min(renewAt, usableUntil), now) };
  const end = new Date(expiresAt).toISOString();
  throw new CredentialProblem(
    'CredentialUnavailable',
    `the cluster signed a certificate until ${end}, which has passed or is about to; check the clocks and --cluster-signing-duration`,
  );
}

/** As the node while it has a certificate, else with the bootstrap token. The server and its authority are always those of the kubeconfig. */
async function askerOf(
  host: Host,
  { server, ca }: ApiAccess,
  kept: KubeletCredential | undefined,
): Promise<ApiAccess> {
  const cluster = { server, ...(ca === undefined ? {} : { ca }) };
  if (kept) return { ...cluster, ...kept };
  const token = await readToken(host, ca);
  if (token) return { ...cluster, token };
  throw new CredentialProblem(
    'CredentialUnavailable',
    `this machine has no valid certificate, and ${BOOTSTRAP_KUBECONFIG} has no token to request one with (kubeadm token create)`,
  );
}

async function renew(
  host: Host,
  nodeName: string,
  requests: SigningRequests,
  limitMs: number,
): Promise<KubeletCredential> {
  const before = await readPendingRequest(host, nodeName);
  const pending = before ?? (await ask(host, nodeName, requests));
  const found = await requests.standing(pending, limitMs);
  if (found.is === 'signed') return fitting(found.certificate, pending);
  if (found.is === 'open')
    throw new CredentialProblem(
      'CredentialUnavailable',
      `the request ${pending.name} is not approved and signed yet; the next call checks again`,
    );
  await deletePendingRequest(host);
  // What an earlier call left is asked for anew, once.
  if (before) return await renew(host, nodeName, requests, limitMs);
  throw new CredentialProblem('CredentialRefused', found.why);
}

/** The proof comes before the request: the approver looks for it when it sees the request. */
async function ask(host: Host, nodeName: string, requests: SigningRequests): Promise<PendingRequest> {
  const pending = await createPendingRequest(host, nodeName);
  await proveKey(host, pending.csr);
  await requests.make(pending);
  return pending;
}

function fitting(certificate: string, { key }: PendingRequest): KubeletCredential {
  if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return { certificate, key };
  throw new CredentialProblem('CredentialRefused', 'the cluster signed a certificate for another key');
}

async function lockOf(host: Host): Promise<Lock> {
  const end = host.clock.monotonic() + LOCK_MS;
  for (;;) {
    const lock = await host.lock('credential');
    if (!('heldBy' in lock)) return lock;
    if (host.clock.monotonic() > end)
      throw new CredentialProblem(
        'CredentialUnavailable',
        `another run of slipway credential (process ${lock.heldBy ?? 'unknown'}) does not finish`,
      );
    await host.clock.sleep(LOOK_MS);
  }
}

/**
 * Proves to the controller, by the TPM, that the key of this request is this machine's own. The approver takes no other one.
 *
 * @throws CredentialProblem, TpmProblem
 */
async function proveKey(host: Host, csr: string): Promise<void> {
  const { settings } = await loadSettings(host);
  const { controller: server, providerID } = settings;
  if (server?.tpm === undefined)
    throw new CredentialProblem(
      'CredentialUnavailable',
      'the settings configure no controller with TPM enrolment (report.controller: endpoints and tpm, in /etc/slipway/config.yaml)',
    );
  const machine: MachineIdentity = {
    instance: await machineInstance(host),
    hostname: host.hostname() || 'localhost',
    ...(providerID === undefined ? {} : { providerID }),
  };
  const known = await withKeptAuthorities(host, machine.instance, server);
  const asker = { server: known, machine, enrolmentMethod: { tpm: server.tpm } };
  const question = { path: KUBELET_KEY_PATH, body: { csr }, purpose: kubeletKeyPurpose(csr) };
  let trouble = unavailable('no controller is named');
  for (const endpoint of server.endpoints) {
    try {
      const answer = await requestWithProof(
        host,
        { ...asker, endpoint: endpoint.replace(/\/+$/, '') },
        question,
      );
      if (answer?.status === 200) return;
      const { words, reason } = readRefusal(answer?.body ?? '');
      const said =
        words ?? `it answers with HTTP status ${answer?.status ?? 'none to the certificate it gave'}`;
      trouble = problem(answer?.status ?? 403, `${endpoint}: ${said}`, reason);
    } catch (error) {
      trouble = problemOf(error, endpoint);
    }
    // Another one says the same.
    if (trouble.code === 'CredentialRefused') throw trouble;
  }
  throw trouble;
}

/** @returns what can be told of it; throws what is nothing of ours */
function problemOf(error: unknown, endpoint: string): CredentialProblem {
  if (error instanceof EnrolmentRefused)
    return problem(error.status, `${endpoint}: ${error.message}`, error.reason);
  if (error instanceof HostError || error instanceof WireError)
    return unavailable(`${endpoint}: ${error.message}`);
  throw error;
}

function problem(status: number, message: string, reason: string | undefined): CredentialProblem {
  const isBusy = status === 429 || status >= 500;
  const code = isBusy ? 'CredentialUnavailable' : 'CredentialRefused';
  return new CredentialProblem(code, reason === undefined ? message : `${message} (${reason})`);
}

function unavailable(message: string): CredentialProblem {
  return new CredentialProblem('CredentialUnavailable', message);
}
