import { proofBody } from '../../protocol/attestation.ts';
import { ENROLMENT_VERSION } from '../../protocol/enrolment.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import {
  MAX_RELEASE_BYTES,
  RELEASE_PATH,
  RELEASE_PURPOSE,
  type ReleaseReply,
  readRefusal,
  readReleaseReply,
} from '../../protocol/release.ts';
import { WireError } from '../../protocol/wire.ts';
import { type Host, HostError } from '../host/host.ts';
import type { HttpAnswer, HttpClient } from '../host/network.ts';
import { enrol, type Means } from '../identity/enrol.ts';
import { enrolOnce } from '../identity/enrol-once.ts';
import type { Identity } from '../identity/identity.ts';
import { readIdentity } from '../identity/identity.ts';
import { EnrolmentRefused } from '../identity/refused.ts';
import type { Send } from '../identity/send.ts';
import type { ServerSettings } from '../report/config/settings.ts';
import { knownCode, SealedProblem } from './sealed-problem.ts';

/** No endpoint holds the bootstrap longer than this; then the next one is asked. */
const TIMEOUT_MS = 20_000;

export interface ReleaseServer extends ServerSettings {
  readonly endpoints: readonly string[];
}

/**
 * Asks the controller for what was sealed for this machine's Machine. It enrols where it has no certificate, and proves itself
 * by its TPM for this one answer.
 *
 * @throws SealedProblem, TpmProblem
 */
export async function release(
  host: Host,
  server: ReleaseServer,
  machine: MachineIdentity,
  means: Means,
): Promise<ReleaseReply> {
  let trouble = new SealedProblem('SealedDataUnreachable', 'no controller is named');
  for (const endpoint of server.endpoints) {
    try {
      return await new Conversation(host, server, endpoint.replace(/\/+$/, ''), machine, means).release();
    } catch (error) {
      trouble = problemOf(error, endpoint);
      if (trouble.code !== 'SealedDataUnreachable') throw trouble;
    }
  }
  throw trouble;
}

/** @returns what can be told of it; throws what is nothing of ours */
function problemOf(error: unknown, endpoint: string): SealedProblem {
  if (error instanceof SealedProblem) return error;
  if (error instanceof EnrolmentRefused) {
    const isBusy = error.status === 429 || error.status >= 500;
    const code = knownCode(error.reason) ?? (isBusy ? 'SealedDataUnreachable' : 'SealedDataRefused');
    return new SealedProblem(code, error.message);
  }
  if (error instanceof HostError) return new SealedProblem('SealedDataUnreachable', error.message);
  if (error instanceof WireError)
    return new SealedProblem(
      'SealedDataUnreachable',
      `${new URL(endpoint).host} does not answer as a controller: ${error.message}`,
    );
  throw error;
}

class Conversation {
  readonly #host: Host;
  readonly #server: ReleaseServer;
  readonly #endpoint: string;
  readonly #machine: MachineIdentity;
  readonly #means: Means;

  constructor(host: Host, server: ReleaseServer, endpoint: string, machine: MachineIdentity, means: Means) {
    this.#host = host;
    this.#server = server;
    this.#endpoint = endpoint;
    this.#machine = machine;
    this.#means = means;
  }

  async release(): Promise<ReleaseReply> {
    const identity = await this.#identity();
    const answer = await this.#ask(identity);
    if (answer?.status === 200) return replyOf(answer);
    // The certificate counts no longer, or its node was refused by an earlier proof: a proof for another one may hold.
    const isOfCertificate = answer === undefined || answer.status === 401 || isBare(answer);
    if (!isOfCertificate) throw refusal(answer);
    const again = await this.#ask(
      await this.#with(undefined, (send) =>
        enrol(this.#host, this.#machine, this.#means, send, identity.key),
      ),
    );
    if (again === undefined)
      throw new SealedProblem('SealedDataRefused', 'the controller does not take the certificate it gave');
    if (again.status === 200) return replyOf(again);
    throw refusal(again);
  }

  async #identity(): Promise<Identity> {
    const known = await readIdentity(this.#host, this.#machine.instance);
    if (known) return known;
    return await this.#with(undefined, (send) => enrolOnce(this.#host, this.#machine, this.#means, send));
  }

  /** Undefined where the certificate is the reason that there is no answer. The proof and what it is for take one connection. */
  async #ask(identity: Identity): Promise<HttpAnswer | undefined> {
    const { version, machine } = { version: ENROLMENT_VERSION, machine: this.#machine };
    try {
      return await this.#with(identity, async (send) => {
        const body = { version, machine, ...(await this.#proof(send)) };
        return await send(RELEASE_PATH, Buffer.from(JSON.stringify(body)));
      });
    } catch (error) {
      if (error instanceof HostError && error.errno === 'ECLIENTCERT') return undefined;
      if (error instanceof EnrolmentRefused && error.status === 401 && error.reason === undefined)
        return undefined;
      throw error;
    }
  }

  async #proof(send: Send): Promise<object> {
    if (this.#means === 'certificate' || !('tpm' in this.#means)) return {};
    const { proveByTpm } = await import('../identity/prove-by-tpm.ts');
    const what = { machine: this.#machine, csr: RELEASE_PURPOSE };
    return { proof: proofBody(await proveByTpm(this.#host, this.#means.tpm, what, send)) };
  }

  async #with<T>(identity: Identity | undefined, talk: (send: Send) => Promise<T>): Promise<T> {
    const { ca, proxy } = this.#server;
    const client: HttpClient = this.#host.network.client({
      minTls: 'TLSv1.3',
      ...(ca === undefined ? {} : { ca }),
      ...(identity ? { certificate: identity.certificate, key: identity.key } : {}),
      ...(proxy ? { proxy } : {}),
    });
    try {
      return await talk((path, body, exporter) =>
        client.send({
          method: 'POST',
          url: `${this.#endpoint}${path}`,
          headers: { 'content-type': 'application/json', 'user-agent': 'slipway' },
          body,
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_RELEASE_BYTES,
          ...(exporter ? { exporter } : {}),
        }),
      );
    } finally {
      client.close();
    }
  }
}

function replyOf({ body }: HttpAnswer): ReleaseReply {
  return readReleaseReply(Buffer.from(body));
}

/** A refusal that gives no reason. */
function isBare({ status, body }: HttpAnswer): boolean {
  return status === 403 && readRefusal(body).reason === undefined;
}

function refusal({ status, body }: HttpAnswer): SealedProblem {
  const { words, reason } = readRefusal(body);
  const isBusy = status === 429 || status >= 500;
  const code = knownCode(reason) ?? (isBusy ? 'SealedDataUnreachable' : 'SealedDataRefused');
  const said = words ?? `it answers with status ${status}`;
  return new SealedProblem(code, `the controller says: ${said}`);
}
