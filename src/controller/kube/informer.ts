import { BACKOFF, waitMs } from '../../kit/backoff.ts';
import type { KubeClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { jsonLines } from './json-lines.ts';
import { readJsonList } from './json-list.ts';
import { isStatus, KubeError } from './kube-error.ts';
import type { KubeObject, ListOf } from './objects.ts';

interface InformerHandlers<T> {
  /** An object was added or changed. Never called twice for one resource version. */
  changed(object: T): void;
  /** An object is gone; its key is `namespace/name`. */
  gone(key: string): void;
  /** Called after each list: every object of one moment has been reported. */
  listed?(): void;
  /** Something failed and will be tried again; for the log. */
  trouble?(error: Error, retryInMs: number): void;
}

export interface InformerOptions {
  readonly pageSize?: number;
  /** Follows only objects whose labels suit; the others count as gone. */
  readonly selector?: string;
  /** Most objects, where somebody else's API server tells of them; more are an error. */
  readonly most?: number;
  /**
   * A watch that is silent for this long, without even a bookmark, counts as dead. If the API server sends no
   * bookmarks, the watch simply begins again.
   */
  readonly silenceMs?: number;
  /** How long the API server keeps a watch open; varied, so that watches do not end together. */
  readonly watchSeconds?: number;
  readonly random?: () => number;
  readonly clock?: Clock;
}

interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T & {
    code?: number;
    message?: string;
    reason?: string;
    details?: { retryAfterSeconds?: number };
  };
}

/** A list that is incomplete after this long will never be complete. */
const LIST_MS = 5 * 60_000;
/** A watch that ends sooner has not worked, whatever it said. */
const WORKED_MS = 5_000;

/**
 * Follows a collection: it lists, then watches from there, for ever.
 *
 * It cannot stall unnoticed: it ends a silent watch and resumes it. It cannot storm: every new attempt waits
 * with full jitter, longer each time, unless the last watch worked. If the API server has forgotten (410), it
 * starts over and then reports what has vanished. It keeps keys and versions, but no objects.
 */
export class Informer<T extends KubeObject> {
  /** Begun watches and complete lists; for metrics and tests. */
  watches = 0;
  lists = 0;
  readonly #client: KubeClient;
  readonly #path: string;
  readonly #handlers: InformerHandlers<T>;
  readonly #options: Required<Omit<InformerOptions, 'selector'>> & Pick<InformerOptions, 'selector'>;
  readonly #known = new Map<string, string>();
  readonly #stop = new AbortController();
  #version: string | undefined;
  #failures = 0;
  /** When the API server began to answer the current watch; undefined before that. */
  #watchedFrom: number | undefined;
  #running: Promise<void> | undefined;

  constructor(
    client: KubeClient,
    path: string,
    handlers: InformerHandlers<T>,
    options: InformerOptions = {},
  ) {
    this.#client = client;
    this.#path = path;
    this.#handlers = handlers;
    this.#options = {
      ...{
        pageSize: 500,
        most: Number.POSITIVE_INFINITY,
        silenceMs: 90_000,
        watchSeconds: 300,
        random: Math.random,
        clock: systemClock,
      },
      ...options,
    };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      const error = await this.#turn();
      if (signal.aborted) return;
      const hasWorked = this.#watchedFrom !== undefined && clock.now() - this.#watchedFrom >= WORKED_MS;
      if (hasWorked) this.#failures = 0;
      if (hasWorked && !error) continue;
      this.#failures += 1;
      const asked = error instanceof KubeError ? error.retryAfterMs : undefined;
      const retryInMs = waitMs(this.#failures, BACKOFF.watch, random, asked);
      if (error) this.#handlers.trouble?.(error, retryInMs);
      await clock.pause(retryInMs, signal);
    }
  }

  /** @returns why the watch ended; undefined if the API server ended it as it should */
  async #turn(): Promise<Error | undefined> {
    this.#watchedFrom = undefined;
    try {
      if (this.#version === undefined) await this.#list();
      await this.#watch();
      return undefined;
    } catch (error) {
      if (isStatus(error, 410)) this.#version = undefined;
      return error as Error;
    }
  }

  async #list(): Promise<void> {
    const seen = new Set<string>();
    const version = this.lists === 0 ? await this.#listFast(seen) : await this.#listFresh(seen);
    this.lists += 1;
    for (const key of this.#known.keys()) {
      if (!seen.has(key)) this.#forget(key);
    }
    this.#version = version;
    this.#handlers.listed?.();
  }

  /**
   * Lists everything at once from the API server's memory: several times as fast as pages, which it reads
   * from etcd. The list may be a moment old; the watch that begins there reports the rest.
   */
  async #listFast(seen: Set<string>): Promise<string> {
    const signal = AbortSignal.any([AbortSignal.timeout(LIST_MS), this.#stop.signal]);
    const query = { resourceVersion: '0', labelSelector: this.#options.selector };
    const stream = await this.#client.stream(this.#path, { query, timeoutMs: 60_000, signal });
    const { resourceVersion } = await readJsonList<T>(stream, (object) => void seen.add(this.#tell(object)));
    return resourceVersion;
  }

  /** Lists the present state in pages: after a forgotten version, nothing older may be reported. */
  async #listFresh(seen: Set<string>): Promise<string> {
    let version = '';
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: ListOf<T> = await this.#client.request('GET', this.#path, {
        query: {
          limit: this.#options.pageSize,
          continue: next || undefined,
          labelSelector: this.#options.selector,
        },
        timeoutMs: 60_000,
        signal: this.#stop.signal,
      });
      for (const object of page.items) seen.add(this.#tell(object));
      version = page.metadata.resourceVersion;
      next = page.metadata.continue || undefined;
    }
    return version;
  }

  async #watch(): Promise<void> {
    this.watches += 1;
    const { watchSeconds, silenceMs, random, clock } = this.#options;
    const timeoutSeconds = Math.ceil(watchSeconds * (1 + random()));
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, this.#stop.signal]);
    const stream = await this.#client.stream(this.#path, {
      query: {
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: this.#version,
        timeoutSeconds,
        labelSelector: this.#options.selector,
      },
      // Headers come at once, even without events.
      timeoutMs: 10_000,
      signal,
    });
    this.#watchedFrom = clock.now();
    const silence = setTimeout(() => end.abort(), silenceMs);
    try {
      for await (const event of jsonLines<WatchEvent<T>>(stream, () => silence.refresh())) this.#take(event);
    } catch (error) {
      if (end.signal.aborted)
        throw new KubeError(
          0,
          'Silent',
          `nothing was heard on the watch of ${this.#path} for ${silenceMs} ms`,
        );
      throw error;
    } finally {
      clearTimeout(silence);
    }
  }

  #take({ type, object }: WatchEvent<T>): void {
    if (type === 'ERROR') {
      const seconds = object.details?.retryAfterSeconds;
      throw new KubeError(
        object.code ?? 500,
        object.reason ?? 'WatchError',
        object.message ?? 'the watch failed',
        { retryAfterMs: seconds === undefined ? undefined : seconds * 1000 },
      );
    }
    if (type === 'ADDED' || type === 'MODIFIED') this.#tell(object);
    if (type === 'DELETED') this.#forget(`${object.metadata.namespace ?? ''}/${object.metadata.name}`);
    this.#version = object.metadata.resourceVersion ?? this.#version;
  }

  #tell(object: T): string {
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const version = object.metadata.resourceVersion ?? '';
    if (!this.#known.has(key) && this.#known.size >= this.#options.most)
      throw new KubeError(0, 'TooMany', `${this.#path} has more than ${this.#options.most} objects`);
    if (this.#known.get(key) !== version) {
      this.#known.set(key, version);
      this.#handlers.changed(object);
    }
    return key;
  }

  #forget(key: string): void {
    if (this.#known.delete(key)) this.#handlers.gone(key);
  }
}
