import { proofBody } from '../../protocol/attestation.ts';
import { ENROLMENT_VERSION } from '../../protocol/enrolment.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import { MAX_SECRET_RELEASE_BYTES, readRefusal } from '../../protocol/secret-release.ts';
import { type Host, HostError } from '../host/host.ts';
import type { HttpClient, HttpResponse } from '../host/network.ts';
import type { ServerSettings } from '../settings/settings.ts';
import { type EnrolmentMethod, enrol } from './enrol.ts';
import { EnrolmentRefused } from './enrolment-refused.ts';
import { ensureEnrolled } from './ensure-enrolled.ts';
import type { Identity } from './identity.ts';
import { readIdentity } from './identity.ts';
import type { SendRequest } from './send-request.ts';

/** No endpoint holds its asker longer than this; then the next one is asked. */
const TIMEOUT_MS = 20_000;

/** The server that a machine asks, and what the machine proves itself by. */
export interface ControllerAccess {
  readonly server: ServerSettings;
  /** URL without a path. */
  readonly endpoint: string;
  readonly machine: MachineIdentity;
  readonly enrolmentMethod: EnrolmentMethod;
}

interface Question {
  readonly path: string;
  /** Beside the version, the machine and the proof. */
  readonly body: object;
  /** What a TPM's proof is for. */
  readonly purpose: string;
}

/**
 * Asks the controller for what a machine gets only by a proof that it gives now. It enrols where it has no certificate, or
 * where its certificate counts no longer, and proves itself by its TPM for this one answer.
 *
 * @returns any answer; undefined where the controller does not take the certificate that it gave
 * @throws EnrolmentRefused, TpmProblem, WireError, HostError
 */
export async function requestWithProof(
  host: Host,
  controller: ControllerAccess,
  question: Question,
): Promise<HttpResponse | undefined> {
  const conversation = new Conversation(host, controller, question);
  return await conversation.answer();
}

class Conversation {
  readonly #host: Host;
  readonly #controller: ControllerAccess;
  readonly #question: Question;

  constructor(host: Host, controller: ControllerAccess, question: Question) {
    this.#host = host;
    this.#controller = controller;
    this.#question = question;
  }

  async answer(): Promise<HttpResponse | undefined> {
    const { machine, enrolmentMethod } = this.#controller;
    const identity = await this.#identity();
    const answer = await this.#ask(identity);
    // The certificate counts no longer, or its node was refused by an earlier proof: a proof for another one may hold.
    const isOfCertificate = answer === undefined || answer.status === 401 || isBare(answer);
    if (!isOfCertificate) return answer;
    const again = await this.#with(undefined, (send) =>
      enrol(this.#host, machine, enrolmentMethod, send, { knownKey: identity.key, mustStore: true }),
    );
    return await this.#ask(again);
  }

  async #identity(): Promise<Identity> {
    const { machine, enrolmentMethod } = this.#controller;
    const known = await readIdentity(this.#host, machine.instance);
    if (known) return known;
    // This process ends soon, and a token is spent for one key: if that is lost, the reporter cannot enrol any more.
    const mustStore = typeof enrolmentMethod === 'object' && 'token' in enrolmentMethod;
    return await this.#with(undefined, (send) =>
      ensureEnrolled(this.#host, machine, enrolmentMethod, send, mustStore),
    );
  }

  /** Undefined where the certificate is the reason that there is no answer. The proof and what it is for take one connection. */
  async #ask(identity: Identity): Promise<HttpResponse | undefined> {
    const { machine } = this.#controller;
    const { path, body } = this.#question;
    try {
      return await this.#with(identity, async (send) => {
        const whole = { version: ENROLMENT_VERSION, machine, ...body, ...(await this.#proof(send)) };
        return await send(path, Buffer.from(JSON.stringify(whole)));
      });
    } catch (error) {
      if (error instanceof HostError && error.errno === 'ECLIENTCERT') return undefined;
      if (error instanceof EnrolmentRefused && error.status === 401 && error.reason === undefined)
        return undefined;
      throw error;
    }
  }

  async #proof(send: SendRequest): Promise<object> {
    const { machine, enrolmentMethod } = this.#controller;
    if (enrolmentMethod === 'certificate' || !('tpm' in enrolmentMethod)) return {};
    const { proveByTpm } = await import('./prove-by-tpm.ts');
    const what = { machine, csr: this.#question.purpose };
    return { proof: proofBody(await proveByTpm(this.#host, enrolmentMethod.tpm, what, send)) };
  }

  async #with<T>(identity: Identity | undefined, talk: (send: SendRequest) => Promise<T>): Promise<T> {
    const { server, endpoint } = this.#controller;
    const { ca, proxy } = server;
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
          url: `${endpoint}${path}`,
          headers: { 'content-type': 'application/json', 'user-agent': 'slipway' },
          body,
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_SECRET_RELEASE_BYTES,
          ...(exporter ? { exporter } : {}),
        }),
      );
    } finally {
      client.close();
    }
  }
}

/** A refusal that gives no reason. */
function isBare({ status, body }: HttpResponse): boolean {
  return status === 403 && readRefusal(body).reason === undefined;
}
