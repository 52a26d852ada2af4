import { Rates } from '../../kit/rates.ts';
import { mintMachineToken, NEVER } from '../attest/machine-token.ts';
import { type Log, reason } from '../log.ts';
import { mintPoolToken } from '../pools/pool-token.ts';
import { type AdmissionRequest, type JsonPatch, reviewAnswer } from './admission-review.ts';
import type { BootstrapOwner } from './bootstrap-owner.ts';
import { type BootstrapSecret, type ConfigKind, DATA_KEY, readBootstrapSecret } from './bootstrap-secret.ts';
import { clusterAuthorities } from './cluster-authorities.ts';
import { insertFiles } from './insert/insert-files.ts';
import { formerToken, withPresent } from './renew-after-move.ts';
import { reportFiles } from './report-files.ts';
import { sizeWarnings } from './size-warnings.ts';

/** What the label of a namespace, Machine or MachinePool asks of bootstrap data. */
export const MODES = ['managed', 'none'] as const;
export type Mode = (typeof MODES)[number];

/** All values of a Secret together. */
const MAX_SECRET_BYTES = 1024 * 1024;
/** Of others than the named writers. Clouds take less as user data. */
const MAX_MOVED_BYTES = 512 * 1024;
/** In one namespace. */
const RENEWALS = { perSecond: 5, burst: 500 };
/** Of which the log tells. */
const MOST_WRITERS = 100;

/** What became of one request, for the metric. */
type Result = 'inserted' | 'renewed' | 'present' | 'not-asked' | 'other-secret' | 'other-writer' | 'missed';

interface BootstrapDataParts {
  readonly endpoints: readonly string[];
  /** Who writes bootstrap data: the bootstrap provider's user names. Nobody else is given a token. */
  readonly writers: readonly string[];
  readonly kinds: readonly ConfigKind[];
  readonly authorities: () => string;
  /** The keys of tokens that count, of Machines and MachinePools; the first one signs. */
  readonly tokenKeys: () => readonly Uint8Array[];
  /** @throws KubeError */
  readonly find: (namespace: string, secret: BootstrapSecret) => Promise<BootstrapOwner | undefined>;
  /** @throws KubeError */
  readonly isPaused: (namespace: string, cluster: string) => Promise<boolean>;
  readonly reviewed: (result: Result) => void;
  readonly log: Log;
}

/**
 * Adds to bootstrap data of Machines and MachinePools what the agent needs in order to report. It allows every request: a machine that cannot
 * report is better than no machine. It stores nothing, so a dry run is like any other request.
 */
export class BootstrapData {
  readonly #parts: BootstrapDataParts;
  readonly #otherWriters = new Set<string>();
  readonly #renewals = new Rates(RENEWALS);

  constructor(parts: BootstrapDataParts) {
    this.#parts = parts;
  }

  /** @param namespaceMode what the namespace's label says @returns the AdmissionReview's answer */
  async review(request: AdmissionRequest, namespaceMode: Mode): Promise<object> {
    try {
      return await this.#look(request, namespaceMode);
    } catch (error) {
      return this.#missed(request, reason(error));
    }
  }

  async #look(request: AdmissionRequest, namespaceMode: Mode): Promise<object> {
    const secret = readBootstrapSecret(request.object, this.#parts.kinds);
    if (secret === undefined) return this.#unchanged(request, 'other-secret');
    // An update of labels or owners: what a machine has booted with stays as it is.
    if (request.oldObject?.data?.[DATA_KEY] === request.object.data?.[DATA_KEY])
      return this.#unchanged(request, 'not-asked');
    if (!this.#parts.writers.includes(request.user))
      return (await this.#renewAfterMove(request, secret)) ?? this.#ofOtherWriter(request);
    return await this.#insert(request, secret, namespaceMode);
  }

  async #insert(request: AdmissionRequest, secret: BootstrapSecret, namespaceMode: Mode): Promise<object> {
    const { find, endpoints, authorities } = this.#parts;
    const owner = await find(request.namespace, secret);
    const mode = owner?.mode ?? namespaceMode;
    if (mode === 'none') return this.#unchanged(request, 'not-asked');
    if (owner === undefined)
      return this.#missed(
        request,
        `no Machine and no MachinePool has ${secret.config.kind} ${secret.config.name} to itself`,
      );
    if (mode !== 'managed')
      return this.#missed(
        request,
        `the label slipway.dev/bootstrap-data of ${owner.kind} ${owner.name} is ${JSON.stringify(mode)}; it takes ${MODES.join(' or ')}`,
      );
    if (owner.isOver) return this.#unchanged(request, 'not-asked');
    const token = owner.namesTpm
      ? undefined
      : this.#token(request.namespace, owner, () => clusterAuthorities(secret.value));
    const files = reportFiles({ endpoints, authorities: authorities(), token });
    const insertion = insertFiles(secret.value, files);
    if (insertion.kind === 'present') return this.#unchanged(request, 'present');
    if (insertion.kind === 'unsupported') return this.#missed(request, insertion.reason);
    return this.#replaced(request, secret, insertion.text, 'inserted');
  }

  /** Whoever moves a cluster writes what the provider wrote elsewhere: a genuine token in it is renewed, and nobody gets a first one. */
  async #renewAfterMove(request: AdmissionRequest, secret: BootstrapSecret): Promise<object | undefined> {
    const { find, isPaused, endpoints, authorities, tokenKeys } = this.#parts;
    const { namespace } = request;
    if (request.oldObject !== undefined || secret.value.length > MAX_MOVED_BYTES) return undefined;
    // Who has no genuine token costs no question.
    const former = formerToken(secret.value, tokenKeys());
    if (former === undefined || this.#renewals.take(namespace) > 0) return undefined;
    const machine = await find(namespace, secret);
    if (machine?.kind !== 'Machine' || machine.isOver) return undefined;
    if (former.token.uid === machine.uid || !former.token.isFor(namespace, machine.name)) return undefined;
    // clusterctl creates everything while the Cluster is paused. At any other time somebody else has an old token.
    if (!(await isPaused(namespace, machine.cluster))) return undefined;
    const token = this.#token(namespace, machine, () => former.token.authorities);
    const files = reportFiles({ endpoints, authorities: authorities(), token });
    return this.#replaced(request, secret, withPresent(secret.value, former, files), 'renewed');
  }

  #token(
    namespace: string,
    { kind, uid, name }: BootstrapOwner,
    clusterKeys: () => readonly string[],
  ): string {
    const [key = new Uint8Array()] = this.#parts.tokenKeys();
    return kind === 'MachinePool'
      ? mintPoolToken(uid, key)
      : mintMachineToken({ uid, namespace, name, authorities: clusterKeys() }, 0, NEVER, key);
  }

  #replaced(
    request: AdmissionRequest,
    secret: BootstrapSecret,
    text: string,
    result: 'inserted' | 'renewed',
  ): object {
    const value = Buffer.from(text);
    const others = Object.entries(request.object.data ?? {}).filter(([key]) => key !== DATA_KEY);
    const whole = others.reduce((sum, [, text]) => sum + Buffer.byteLength(text, 'base64'), value.length);
    if (whole > MAX_SECRET_BYTES)
      return this.#missed(
        request,
        `with it the Secret would have ${whole} bytes, more than Kubernetes takes`,
      );
    const patch: JsonPatch = { op: 'replace', path: `/data/${DATA_KEY}`, value: value.toString('base64') };
    this.#parts.reviewed(result);
    return reviewAnswer(request.uid, [patch], sizeWarnings(secret.value.length, value.length));
  }

  #unchanged({ uid }: AdmissionRequest, result: Result): object {
    this.#parts.reviewed(result);
    return reviewAnswer(uid);
  }

  /** Said once for each of them: a provider that nobody has named writes all the time. */
  #ofOtherWriter(request: AdmissionRequest): object {
    const { user, uid, namespace, object } = request;
    this.#parts.reviewed('other-writer');
    if (this.#otherWriters.size < MOST_WRITERS && !this.#otherWriters.has(user)) {
      this.#otherWriters.add(user);
      this.#parts.log.warn(
        'somebody else than the named writers wrote bootstrap data; name them with --writer if they may have tokens',
        {
          ...{ user, namespace, secret: object.metadata.name },
        },
      );
    }
    return reviewAnswer(
      uid,
      [],
      [`slipway: ${user} is not named as a writer of bootstrap data: this machine will not report`],
    );
  }

  /** Told to the provider by the API server, in the log, and by the metric. */
  #missed({ uid, namespace, object }: AdmissionRequest, why: string): object {
    const { reviewed, log } = this.#parts;
    reviewed('missed');
    log.warn('a machine will not report, because nothing was added to its bootstrap data', {
      ...{ namespace, secret: object.metadata.name, reason: why },
    });
    return reviewAnswer(uid, [], [`slipway: this machine will not report: ${why}`]);
  }
}
