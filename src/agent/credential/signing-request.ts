import { redactTexts } from '../../secrets/redact-texts.ts';
import { type ApiAccess, bearerHeader } from '../cluster/kubeconfig.ts';
import { ObjectChangeWaiter } from '../cluster/watch-object.ts';
import { type Host, HostError } from '../host/host.ts';
import type { HttpResponse } from '../host/network.ts';
import { CredentialProblem } from './credential-problem.ts';
import type { PendingRequest } from './pending-request.ts';

const COLLECTION = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const LIMIT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/** Where a request stands. */
type Standing =
  | { readonly is: 'signed'; readonly certificate: string }
  | { readonly is: 'open' }
  /** Nobody knows it, or it came to nothing: another key has to be asked for. */
  | { readonly is: 'over'; readonly why: string };

/** The API server, asked as the node itself or with a bootstrap token. */
export class SigningRequests {
  readonly #host: Host;
  readonly #access: ApiAccess;

  constructor(host: Host, access: ApiAccess) {
    this.#host = host;
    this.#access = access;
  }

  /** Makes the request; that it is there already is as good. @throws CredentialProblem */
  async make({ name, csr }: PendingRequest): Promise<void> {
    const body = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(csr).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        // Signers before 1.27 demand key encipherment of every key.
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    };
    const answer = await this.#send('POST', COLLECTION, body);
    if (answer.status !== 201 && answer.status !== 409) throw refusal('create a certificate request', answer);
  }

  /** Until it is signed or over, as the API server tells, or the time is up. @throws CredentialProblem */
  async standing({ name }: PendingRequest, limitMs: number): Promise<Standing> {
    const { clock } = this.#host;
    const end = clock.monotonic() + limitMs;
    const alarm = new ObjectChangeWaiter(this.#host, limitMs, new AbortController().signal);
    try {
      for (;;) {
        const found = await this.#look(name);
        const leftMs = end - clock.monotonic();
        if (found.is !== 'open' || leftMs <= 0) return found;
        alarm.set({ access: this.#access, collection: COLLECTION, name });
        await alarm.pause(leftMs);
      }
    } finally {
      alarm.close();
    }
  }

  async #look(name: string): Promise<Standing> {
    const answer = await this.#send('GET', `${COLLECTION}/${name}`);
    if (answer.status === 404) return { is: 'over', why: `the request ${name} is gone` };
    if (answer.status !== 200) throw refusal('read a certificate request', answer);
    const { certificate, conditions } = statusOf(answer.body);
    if (certificate !== undefined) return { is: 'signed', certificate };
    const no = conditions.find(({ type }) => type === 'Denied' || type === 'Failed');
    if (!no) return { is: 'open' };
    const what = no.type === 'Denied' ? 'denied' : 'not signed';
    return {
      is: 'over',
      why: `the request ${name} was ${what}: ${no.message ?? no.reason ?? 'no reason given'}`,
    };
  }

  async #send(method: 'GET' | 'POST', path: string, body?: object): Promise<HttpResponse> {
    const { server, token, ...credentials } = this.#access;
    const client = this.#host.network.client(credentials);
    try {
      return await client.send({
        method,
        url: new URL(path, server).href,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...bearerHeader(token),
        },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
        timeoutMs: LIMIT_MS,
        maxBytes: MAX_BYTES,
      });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      throw new CredentialProblem('CredentialUnavailable', `the API server ${server}: ${error.message}`);
    } finally {
      client.close();
    }
  }
}

interface Said {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What is read of it; anything can be anything. */
function statusOf(body: string): { certificate: string | undefined; conditions: readonly Said[] } {
  let status: { certificate?: unknown; conditions?: unknown } | undefined;
  try {
    status = JSON.parse(body)?.status;
  } catch {
    throw new CredentialProblem('CredentialUnavailable', 'the server is not an API server');
  }
  const conditions = Array.isArray(status?.conditions) ? status.conditions : [];
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const encoded = text(status?.certificate);
  return {
    certificate: encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8'),
    conditions: conditions
      .filter((one: unknown): one is Record<string, unknown> => typeof one === 'object' && one !== null)
      .map(({ type, reason, message }) => ({
        ...{ type: text(type), reason: text(reason), message: text(message) },
      }))
      .map((said) => redactTexts(said) as Said),
  };
}

function refusal(what: string, { status, body }: HttpResponse): CredentialProblem {
  let words = '';
  try {
    const { message } = JSON.parse(body);
    if (typeof message === 'string') words = `: ${message.slice(0, 300)}`;
  } catch {
    // Its status says enough.
  }
  const isBusy = status === 429 || status >= 500;
  return new CredentialProblem(
    isBusy ? 'CredentialUnavailable' : 'CredentialRefused',
    `the API server does not let this machine ${what} (HTTP status ${status})${words}`,
  );
}
