import { setTimeout as sleep } from 'node:timers/promises';
import { visibleJson, visibleOutput } from '../../kit/terminal/visible.ts';
import { Informer } from '../kube/informer.ts';
import type { StoredEvent } from '../model/node-record.ts';
import { collectionPath, type NodeBootstrap } from '../store/node-bootstrap.ts';
import type { Store } from '../store/store.ts';
import { parseOutput } from './options/output.ts';
import { listedNamespace, openSource, type SourceOptions } from './source.ts';
import { eventText } from './text/event-text.ts';

const POLL_MS = 500;

/** Prints events as they are stored, until somebody ends it. */
export async function tailCommand(options: SourceOptions & { fromStart?: boolean }): Promise<number> {
  const output = parseOutput(options.output, ['text', 'json']);
  const source = openSource(options);
  const namespace = listedNamespace(options);
  const printer = new Printer(output === 'json', options.fromStart === true);
  const ended = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  try {
    if (!source.client) {
      const stop = new AbortController();
      void ended.then(() => stop.abort());
      await poll(source.store, namespace, printer, stop.signal);
      return 0;
    }
    const informer = new Informer<NodeBootstrap>(
      source.client,
      collectionPath(namespace),
      {
        changed: ({ metadata, status }) =>
          printer.take(`${metadata.namespace}/${metadata.name}`, status?.eventLog ?? []),
        gone: (key) => printer.forget(key),
        listed: () => printer.caughtUp(),
        trouble: (error) => process.stderr.write(`slipway-controller: ${error.message}\n`),
      },
      { pageSize: 100 },
    );
    informer.start();
    await ended;
    await informer.stop();
    return 0;
  } finally {
    await source.store.close();
  }
}

async function poll(
  store: Store,
  namespace: string | undefined,
  printer: Printer,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, string>();
  for (;;) {
    for (const { namespace: within, name, epoch, seq } of await store.list(namespace)) {
      const key = `${within}/${name}`;
      const mark = `${epoch} ${seq}`;
      if (seen.get(key) === mark) continue;
      seen.set(key, mark);
      printer.take(key, await store.events(within, name));
    }
    printer.caughtUp();
    if (await sleep(POLL_MS, false, { signal }).catch(() => true)) return;
  }
}

/** Prints each event once. */
class Printer {
  readonly #json: boolean;
  /** The last printed event of each node, by boot and number, which never repeat. */
  readonly #last = new Map<string, { boot: string; seq: number }>();
  #silent: boolean;

  constructor(json: boolean, fromStart: boolean) {
    this.#json = json;
    this.#silent = !fromStart;
  }

  caughtUp(): void {
    this.#silent = false;
  }

  forget(key: string): void {
    this.#last.delete(key);
  }

  take(key: string, events: readonly StoredEvent[]): void {
    const last = this.#last.get(key);
    const at = last ? events.findIndex(({ boot, seq }) => boot === last.boot && seq === last.seq) : -1;
    const end = events.at(-1);
    if (end) this.#last.set(key, { boot: end.boot, seq: end.seq });
    if (this.#silent) return;
    for (const event of events.slice(at + 1)) this.#print(key, event);
  }

  #print(key: string, event: StoredEvent): void {
    if (this.#json) {
      process.stdout.write(`${visibleJson({ node: key, ...event })}\n`);
      return;
    }
    const [first = '', ...more] = eventText(event);
    const time = event.time.replace(/^.*T/, '').replace(/\.\d+Z$/, 'Z');
    const lines = [`${time}  ${key}  ${first}`, ...more.map((line) => `    ${line}`)];
    process.stdout.write(`${visibleOutput(lines.join('\n'))}\n`);
  }
}
