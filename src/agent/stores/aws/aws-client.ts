import { textAt } from '../../../kit/json.ts';
import { type AwsCredentials, signedHeaders } from '../../platform/credentials/aws-signature.ts';
import { type InstanceRole, instanceRole } from '../../platform/credentials/instance-role.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { StoreContext } from '../contract/store.ts';
import { once } from '../contract/store.ts';
import { StoreClient } from '../contract/store-client.ts';

/** Credentials that came from the metadata service may end before they are used. */
const EXPIRED = /^(?:ExpiredToken|ExpiredTokenException|UnrecognizedClientException|InvalidClientTokenId)$/;
const ABSENT = /^(?:ResourceNotFoundException|ParameterNotFound|ParameterVersionNotFound|NotFoundException)$/;
const BUSY =
  /^(?:Throttling|ThrottlingException|TooManyRequestsException|RequestLimitExceeded|InternalServiceError)$/;
const WRONG_CLOCK =
  /^(?:RequestExpired|RequestTimeTooSkewed|SignatureDoesNotMatch|InvalidSignatureException)$/;
const UNDECRYPTABLE = /^(?:InvalidCiphertextException|IncorrectKeyException)$/;

/** One of AWS' services that speak JSON and take a signature, in one region or several. */
export class AwsClient {
  readonly #context: StoreContext;
  readonly #service: string;
  readonly #target: string;
  readonly #role: InstanceRole;
  readonly #clients = new Map<string, StoreClient>();
  readonly #credentials: ReturnType<typeof once<AwsCredentials>>;
  readonly #region: ReturnType<typeof once<string>>;

  /** @param target what stands before the dot of X-Amz-Target */
  constructor(context: StoreContext, service: string, target: string) {
    this.#context = context;
    this.#service = service;
    this.#target = target;
    const role = instanceRole(context.host);
    this.#role = role;
    this.#credentials = once(() => role.credentials());
    this.#region = once(() => role.region());
  }

  /** @param region empty: that of the settings, or the instance's own. @throws SecretError */
  async call(region: string, action: string, body: Record<string, unknown>): Promise<unknown> {
    const { settings } = this.#context.spec;
    const place = region || (settings.aws?.region ?? (await this.#region.get()));
    for (let isFirst = true; ; isFirst = false) {
      const answer = await this.#send(place, action, body);
      const client = this.#client(place);
      if (answer.status === 200) return client.json(answer);
      const type = typeOf(client.json(answer));
      if (isFirst && EXPIRED.test(type)) this.#credentials.forget();
      else throw refusal(this.#service, place, answer.status, type, client);
    }
  }

  close(): void {
    this.#role.close();
    for (const client of this.#clients.values()) client.close();
  }

  async #send(region: string, action: string, content: Record<string, unknown>) {
    const credentials = await this.#credentials.get();
    const body = Buffer.from(JSON.stringify(content));
    const headers = signedHeaders({
      method: 'POST',
      url: new URL(`${this.#origin(region)}/`),
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `${this.#target}.${action}`,
      },
      body,
      region,
      service: this.#service,
      credentials,
      now: this.#context.host.clock.now(),
    });
    return this.#client(region).send({ method: 'POST', path: '/', headers, body });
  }

  #client(region: string): StoreClient {
    const known = this.#clients.get(region);
    if (known) return known;
    const made = new StoreClient(this.#context, `AWS (${this.#service} in ${region})`, this.#origin(region));
    this.#clients.set(region, made);
    return made;
  }

  #origin(region: string): string {
    const own = this.#context.spec.settings.aws?.endpoint;
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return own?.replace(/\/+$/, '') ?? `https://${this.#service}.${region}.${domain}`;
  }
}

/** `com.amazonaws.x#AccessDeniedException` is one of the forms. */
function typeOf(answer: unknown): string {
  const type = textAt(answer, '__type') ?? textAt(answer, 'code') ?? '';
  return type
    .replace(/^.*#/, '')
    .replace(/[^\w.]/g, '')
    .slice(0, 80);
}

function refusal(
  service: string,
  region: string,
  status: number,
  type: string,
  client: StoreClient,
): SecretError {
  const said = `AWS (${service} in ${region}) answers ${type || 'without a code'} (status ${status})`;
  if (ABSENT.test(type)) return new SecretError('SecretNotFound', said);
  if (BUSY.test(type)) return client.unreachable(`answers ${type}`);
  if (UNDECRYPTABLE.test(type)) return new SecretError('SecretUndecryptable', said);
  if (WRONG_CLOCK.test(type))
    return new SecretError(
      'SecretDenied',
      `${said}: the clock of this machine may be wrong`,
      "Set the clock (NTP) before secrets are requested; the machine's permissions are not the cause.",
    );
  if (type === 'InvalidRequestException')
    return new SecretError(
      'SecretNotFound',
      `${said}: the secret is scheduled for deletion, or has no such version`,
      'Restore the secret if it is still needed (aws secretsmanager restore-secret), or name an existing version.',
    );
  return new SecretError('SecretDenied', said);
}
