import { BACKOFF, waitMs } from '../../kit/backoff.ts';
import type { KubeClient, RequestOptions } from './client.ts';
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
  /** An object whose name or version is longer than Kubernetes makes them counts as none; told once. */
  ignored?(what: string): void;
  /** Something failed and will be tried again; for the log. */
  trouble?(error: Error, retryInMs: number): void;
}

export interface InformerOptions {
  readonly pageSize?: number;
  /** Follows only objects whose labels suit; the others count as gone. */
  readonly selector?: string;
  /** Most objects, where somebody else's API server tells of them, and bytes of their names; more are an error. */
  readonly most?: number;
  readonly mostBytes?: number;
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
/** A name, and the number of a version with room for more. */
const LONGEST = { name: 253, version: 64, continue: 16 * 1024 };

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
  /** Of `known`. */
  #knownBytes = 0;
  #hasIgnored = false;
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
        mostBytes: Number.POSITIVE_INFINITY,
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
    const seen = new Set<string | undefined>();
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
  async #listFast(seen: Set<string | undefined>): Promise<string> {
    const signal = AbortSignal.any([AbortSignal.timeout(LIST_MS), this.#stop.signal]);
    const { resourceVersion } = await this.#listPart({ resourceVersion: '0' }, signal, seen);
    return resourceVersion;
  }

  /** Lists the present state in pages: after a forgotten version, nothing older may be reported. */
  async #listFresh(seen: Set<string | undefined>): Promise<string> {
    const signal = AbortSignal.any([AbortSignal.timeout(LIST_MS), this.#stop.signal]);
    let version = '';
    for (let next: string | undefined = ''; next !== undefined; ) {
      const query = { limit: this.#options.pageSize, continue: next || undefined };
      const page: ListOf<T>['metadata'] = await this.#listPart(query, signal, seen);
      version = page.resourceVersion;
      next = page.continue || undefined;
    }
    return version;
  }

  /** One object at a time is in memory. */
  async #listPart(
    query: NonNullable<RequestOptions['query']>,
    signal: AbortSignal,
    seen: Set<string | undefined>,
  ): Promise<ListOf<T>['metadata']> {
    const stream = await this.#client.stream(this.#path, {
      query: { ...query, labelSelector: this.#options.selector },
      timeoutMs: 60_000,
      signal,
    });
    const metadata = await readJsonList<T>(stream, this.#client.objectBytes, (object) => {
      seen.add(this.#tell(object));
    });
    if (
      !isShort(metadata.resourceVersion, LONGEST.version) ||
      !isShort(metadata.continue ?? '', LONGEST.continue)
    )
      throw new KubeError(0, 'Invalid', `${this.#path}: the list has no usable version`);
    return metadata;
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
      for await (const event of jsonLines<WatchEvent<T>>(stream, this.#client.objectBytes, () =>
        silence.refresh(),
      ))
        this.#take(event);
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
      const seconds = secondsOf(object.details?.retryAfterSeconds);
      const { code, reason, message } = object;
      throw new KubeError(
        typeof code === 'number' ? code : 500,
        typeof reason === 'string' ? reason : 'WatchError',
        typeof message === 'string' ? message : 'the watch failed',
        { retryAfterMs: seconds === undefined ? undefined : seconds * 1000 },
      );
    }
    if (type === 'ADDED' || type === 'MODIFIED') this.#tell(object);
    const { resourceVersion = '', namespace = '', name } = object.metadata;
    if (type === 'DELETED') this.#forget(`${namespace}/${name}`);
    if (resourceVersion !== '' && isShort(resourceVersion, LONGEST.version)) this.#version = resourceVersion;
  }

  /** @returns its key; undefined where it counts as none */
  #tell(object: T): string | undefined {
    const { namespace = '', name, resourceVersion: version = '' } = object.metadata;
    const isNamed = isShort(name, LONGEST.name) && isShort(namespace, LONGEST.name);
    if (!isNamed || !isShort(version, LONGEST.version)) {
      if (!this.#hasIgnored)
        this.#handlers.ignored?.(`${this.#path} has an object with an endless name or version`);
      this.#hasIgnored = true;
      return undefined;
    }
    const key = `${namespace}/${name}`;
    const before = this.#known.get(key);
    if (before === version) return key;
    if (before === undefined) this.#makeRoom(key);
    this.#known.set(key, version);
    this.#handlers.changed(object);
    return key;
  }

  /** @throws KubeError where there are too many */
  #makeRoom(key: string): void {
    const { most, mostBytes } = this.#options;
    if (this.#known.size >= most)
      throw new KubeError(0, 'TooMany', `${this.#path} has more than ${most} objects`);
    this.#knownBytes += key.length + LONGEST.version;
    if (this.#knownBytes <= mostBytes) return;
    this.#knownBytes -= key.length + LONGEST.version;
    throw new KubeError(0, 'TooMany', `${this.#path} has objects with more than ${mostBytes} bytes of names`);
  }

  #forget(key: string): void {
    if (!this.#known.delete(key)) return;
    this.#knownBytes -= key.length + LONGEST.version;
    this.#handlers.gone(key);
  }
}

function isShort(text: unknown, most: number): text is string {
  return typeof text === 'string' && text.length <= most;
}

/** What is no time to wait would be none at all. */
function secondsOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
}
