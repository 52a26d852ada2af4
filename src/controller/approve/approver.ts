import { Rates } from '../../kit/rates.ts';
import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { KubeError, undefinedOnStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import { isBounded } from './bounded-request.ts';
import { decide } from './decide.ts';
import { examine, nodeOf, type ParsedRequest } from './examine.ts';
import { type ApproverContext, type Judged, judge, type NodeObject, type Rules } from './judge.ts';
import type { Member } from './member.ts';
import { RequestScheduler } from './request-scheduler.ts';
import { COLLECTION, type SigningRequest, stateOf, useOf } from './signing-request.ts';
import { type Verdict, wait } from './verdict.ts';

export interface ApproverParts extends Omit<ApproverContext, 'node'> {
  /** The client of the cluster in which kubelets ask. */
  readonly client: KubeClient;
  readonly rules: Rules;
  /** Reads a Machine and its NodeBootstrap anew: what is followed may be old, and an approval is for good. */
  readonly refresh: (member: Member) => Promise<void>;
  /** Tells the Machine of a denial. */
  readonly denied: (member: Member, because: string) => void;
  /** Called with each decision that was written. @param ageMs since the request was made */
  readonly decided?: (decision: 'approved' | 'denied', ageMs: number) => void;
  readonly trouble: (error: Error) => void;
  readonly log: Log;
}

interface Open {
  /** What is left to judge, or what the request already shows. */
  readonly found: ParsedRequest | Verdict;
  readonly at: Pick<ParsedRequest, 'name' | 'uid' | 'version' | 'madeAt'>;
  /** The node that asked, whatever for. */
  readonly asker: string | undefined;
  isApproved: boolean;
  isPutOff?: boolean;
  told?: string | undefined;
}

/** More are no cluster's: whoever has taken over its API server keeps the other clusters' requests from being decided no more than this. */
const MOST_REQUESTS = 50_000;
/** Of names and versions of all requests, and again of what is kept of those that are open; a request has some 300. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Each judgment reads a Machine anew from the management cluster, which other clusters need, too. */
const REFRESHES = { burst: 10_000, perSecond: 20 };
/** How long a request may take that is under way when nobody wants its answer any more. */
const END_MS = 2_000;
/** Between two looks at one that has to wait: a quarter of its age, in these bounds. */
const LOOK_MS = { least: 5_000, most: 60_000 };

/** Decides the certificate requests of one cluster's kubelets. Two that work at once do no harm. */
export class Approver {
  readonly #parts: ApproverParts;
  readonly #open = new Map<string, Open>();
  readonly #turns = new RequestScheduler();
  readonly #refreshes = new Rates(REFRESHES);
  #openBytes = 0;
  readonly #queue: WorkQueue;
  readonly #informer: Informer<SigningRequest>;
  #isListed = false;

  constructor(parts: ApproverParts) {
    this.#parts = parts;
    const { client, cluster, log, trouble } = parts;
    this.#queue = new WorkQueue((name) => this.#look(name), {
      parallel: 4,
      failed: (request, error, retryInMs) =>
        log.warn('a certificate request could not be decided', {
          ...{ cluster, request, reason: reason(error), retryInMs },
        }),
    });
    const handlers = {
      changed: (object: SigningRequest) => this.#changed(object),
      gone: (key: string) => this.#close(key.slice(1)),
      listed: () => this.#begin(),
      trouble,
      ignored: (what: string) => log.warn('a certificate request counts as none', { cluster, reason: what }),
    };
    const most = { most: MOST_REQUESTS, mostBytes: MOST_BYTES };
    this.#informer = new Informer<SigningRequest>(client, COLLECTION, handlers, most);
  }

  start(): void {
    this.#informer.start();
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
    // A server that does not answer holds up nobody who waits for this.
    const late = setTimeout(() => this.#parts.client.close(), END_MS);
    await this.#queue.stop();
    clearTimeout(late);
    this.#parts.client.close();
  }

  /** Requests that are put off. */
  get waiting(): number {
    let waiting = 0;
    for (const { isPutOff } of this.#open.values()) waiting += Number(isPutOff ?? false);
    return waiting;
  }

  /** Something is known now of these nodes that was not before. */
  lookAgain(nodes: readonly string[]): void {
    if (!this.#isListed) return;
    for (const [name, { found }] of this.#open)
      if ('node' in found && nodes.includes(found.node)) this.#queue.add(name);
  }

  #changed(object: SigningRequest): void {
    if (useOf(object) === undefined) return;
    if (!isBounded(object)) {
      const { cluster, log } = this.#parts;
      const because = 'its fields are longer, or of another type, than Kubernetes makes them';
      log.info('a certificate request is left alone', { cluster, request: object.metadata.name, because });
      this.#close(object.metadata.name);
      return;
    }
    const { name, uid = '', resourceVersion: version = '', creationTimestamp = '' } = object.metadata;
    const state = stateOf(object);
    if (state === 'over') {
      this.#close(name);
      return;
    }
    const found = examine(object, this.#parts.rules.bootstrapGroups);
    const isApproved = state === 'approved';
    if ('node' in found) this.#turns.put(found, isApproved);
    const at = { name, uid, version, madeAt: Date.parse(creationTimestamp) || 0 };
    const asker = nodeOf(object.spec.username);
    this.#keep(name, { found, at, asker, isApproved, told: this.#open.get(name)?.told });
    if (this.#isListed) this.#queue.add(name);
  }

  /** @throws KubeError where there is too much of them */
  #keep(name: string, open: Open): void {
    const before = this.#open.get(name);
    const bytes = this.#openBytes + bytesOf(open) - (before ? bytesOf(before) : 0);
    if (bytes > MOST_BYTES) {
      this.#close(name);
      throw new KubeError(0, 'TooMany', `${COLLECTION} has more than ${MOST_BYTES} bytes of open requests`);
    }
    this.#openBytes = bytes;
    this.#open.set(name, open);
  }

  #close(name: string): void {
    const open = this.#open.get(name);
    if (open && 'node' in open.found) this.#turns.remove(open.found);
    if (open) this.#openBytes -= bytesOf(open);
    this.#open.delete(name);
    this.#queue.forget(name);
  }

  /** Which is the newest of a node's is known when all are. */
  #begin(): void {
    this.#isListed = true;
    for (const name of this.#open.keys()) this.#queue.add(name);
  }

  async #look(name: string): Promise<void> {
    const open = this.#open.get(name);
    if (!open || open.isApproved) return;
    const { found, at } = open;
    const now = Date.now();
    const { verdict: judged, member } =
      'node' in found ? await this.#judge(found, now) : { verdict: found, member: this.#memberOf(open) };
    // Another one of its node may have had its turn while this one was read anew.
    const why = judged.is === 'approve' && 'node' in found ? this.#whyNot(found, member) : undefined;
    const verdict = why === undefined ? judged : wait(why);
    if (verdict.is === 'deny') {
      if (!(await decide(this.#parts.client, at, verdict))) return;
      this.#close(name);
      this.#parts.decided?.('denied', now - at.madeAt);
      if (member) this.#parts.denied(member, `${name}: ${verdict.because}.`);
    } else if (verdict.is === 'approve' && 'node' in found) {
      if (!(await this.#approve(found, open, verdict))) return;
      this.#parts.decided?.('approved', now - at.madeAt);
    } else if ('node' in found) this.#queue.later(name, lookMs(now - at.madeAt));
    open.isPutOff = verdict.is === 'wait';
    this.#tell(name, open, verdict);
  }

  /** It has its turn from now on, so that no other one of its node is approved while this is under way. */
  async #approve(asked: ParsedRequest, open: Open, verdict: Verdict): Promise<boolean> {
    this.#turns.approved(asked);
    try {
      open.isApproved = await decide(this.#parts.client, open.at, verdict);
      return open.isApproved;
    } finally {
      // What has gone meanwhile is nobody's turn.
      if (!open.isApproved && this.#open.get(asked.name) === open) this.#turns.put(asked, false);
    }
  }

  #whyNot(asked: ParsedRequest, member: Member | undefined): string | undefined {
    const proved = member && this.#parts.members.holderOf(member)?.kubelet?.keyDigest;
    return this.#turns.whyNot(asked, asked.use === 'client' && proved === asked.keyDigest);
  }

  async #judge(asked: ParsedRequest, now: number): Promise<Judged> {
    const { rules, refresh, ...world } = this.#parts;
    const look = () => judge(asked, rules, { ...world, node: (name) => this.#node(name) }, now);
    const judged = await look();
    const { is } = judged.verdict;
    // A denial is for good as well: its machine may have proved this key a moment ago.
    if (!judged.member || (is !== 'approve' && is !== 'deny')) return judged;
    const why = is === 'approve' ? this.#whyNot(asked, judged.member) : undefined;
    if (why !== undefined) return { ...judged, verdict: wait(why) };
    if (this.#refreshes.take('') > 0)
      return {
        ...judged,
        verdict: wait('its cluster has asked too much at once, and others have their turn'),
      };
    await refresh(judged.member);
    return look();
  }

  /** A node that wants what no kubelet wants was taken over: its Machine says so. */
  #memberOf({ asker }: Open): Member | undefined {
    const { members, cluster } = this.#parts;
    const [member, ...more] = asker === undefined ? [] : members.ofNode(cluster, asker);
    return more.length === 0 ? member : undefined;
  }

  #node(name: string): Promise<NodeObject | undefined> {
    return undefinedOnStatus(this.#parts.client.request<NodeObject>('GET', `/api/v1/nodes/${name}`), 404);
  }

  /** Once for each reason. */
  #tell(request: string, open: Open, { is, because }: Verdict): void {
    const told = `${is} ${because}`.slice(0, 500);
    if (open.told === told) return;
    open.told = told;
    const words = { approve: 'approved', deny: 'denied', wait: 'put off', leave: 'left alone' };
    const { cluster, log } = this.#parts;
    log[is === 'deny' ? 'warn' : 'info'](`a certificate request is ${words[is]}`, {
      cluster,
      request,
      because,
    });
  }
}

/** What is told of it, such as a verdict, has its own bound. */
function bytesOf({ found, at, asker = '' }: Open): number {
  const told =
    'node' in found
      ? found.names.reduce((sum, { value }) => sum + value.length + 64, 0)
      : found.because.length;
  return 256 + at.name.length + at.uid.length + asker.length + told;
}

function lookMs(age: number): number {
  return Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, age / 4));
}
