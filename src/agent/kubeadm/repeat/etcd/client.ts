/** etcd's v3 API as JSON over HTTPS, on the client port (its gRPC gateway; etcd 3.4 and newer). */
import { ExpectedError } from '../../../../kit/errors.ts';
import { type Host, HostError } from '../../../host/host.ts';
import type { HttpClient } from '../../../host/network.ts';

export interface EtcdMember {
  /** Decimal, as the gateway writes 64-bit numbers. */
  id: string;
  /** Empty as long as the member has never started. */
  name: string;
  peerUrls: string[];
  clientUrls: string[];
  /** It does not vote yet. */
  learner: boolean;
}

export interface EtcdCredentials {
  /** PEM. */
  ca: string;
  certificate: string;
  key: string;
}

const LIMIT_MS = 5_000;

/** etcd answered, and refused; `message` is etcd's own word, e.g. `etcdserver: unhealthy cluster`. */
export class EtcdRefusal extends ExpectedError {
  override readonly name = 'EtcdRefusal';
}

/** Asks any of several members. Call `close` when done. */
export class EtcdClient {
  readonly #endpoints: readonly string[];
  readonly #http: HttpClient;

  /** @param endpoints Client URLs, e.g. `https://10.0.0.1:2379`. */
  constructor(host: Host, endpoints: readonly string[], credentials: EtcdCredentials) {
    this.#endpoints = endpoints;
    this.#http = host.network.client(credentials);
  }

  /**
   * All members, as the cluster has agreed on them. If it cannot agree on anything, as one member knows them.
   * @throws EtcdRefusal, HostError when none of the endpoints answers
   */
  async members(): Promise<EtcdMember[]> {
    const answer = await this.#list();
    const members = Array.isArray(answer.members) ? answer.members : [];
    return members.map((member: Record<string, unknown>) => ({
      id: String(member.ID ?? ''),
      name: typeof member.name === 'string' ? member.name : '',
      peerUrls: strings(member.peerURLs),
      clientUrls: strings(member.clientURLs),
      learner: member.isLearner === true,
    }));
  }

  async #list(): Promise<Record<string, unknown>> {
    try {
      return await this.#ask('/v3/cluster/member/list', { linearizable: true });
    } catch {
      // Without a leader etcd answers only the weaker question. That is safe: it agrees to no removal then.
      return this.#ask('/v3/cluster/member/list', { linearizable: false });
    }
  }

  /** @throws EtcdRefusal when it would cost the quorum, HostError */
  async remove(id: string): Promise<void> {
    await this.#ask('/v3/cluster/member/remove', { ID: id });
  }

  /** Makes a learner a voter. @throws EtcdRefusal when it has not caught up yet, HostError */
  async promote(id: string): Promise<void> {
    await this.#ask('/v3/cluster/member/promote', { ID: id });
  }

  /** Does that member run and know a leader? Never throws. */
  async isHealthy({ clientUrls }: Pick<EtcdMember, 'clientUrls'>): Promise<boolean> {
    for (const url of clientUrls) {
      try {
        const { leader } = await this.#post(url, '/v3/maintenance/status', {});
        return leader !== undefined && String(leader) !== '0';
      } catch (error) {
        if (!(error instanceof HostError || error instanceof EtcdRefusal)) throw error;
      }
    }
    return false;
  }

  close(): void {
    this.#http.close();
  }

  async #ask(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>> {
    let last: unknown = new HostError('no etcd member is known', 'ENOENT');
    for (const endpoint of this.#endpoints) {
      try {
        return await this.#post(endpoint, path, body);
      } catch (error) {
        // Every member gives the cluster's own refusal alike. A member without a leader does not speak for the cluster.
        if (
          error instanceof EtcdRefusal &&
          !/no leader|timed out|stopped|context deadline/.test(error.message)
        )
          throw error;
        last = error;
      }
    }
    throw last;
  }

  async #post(
    endpoint: string,
    path: string,
    body: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const answer = await this.#http.send({
      method: 'POST',
      url: new URL(path, endpoint).href,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
      timeoutMs: LIMIT_MS,
    });
    const value = parseObject(answer.body);
    if (answer.status === 200 && value !== undefined) return value;
    const said = [value?.message, value?.error].find((text) => typeof text === 'string');
    throw new EtcdRefusal(String(said ?? `HTTP status ${answer.status}`));
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not the gateway: the status tells.
    return undefined;
  }
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
