import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ExpectedError } from '../../kit/errors.ts';
import type { CertificateState, NodeRecord, NodeSpec, StoredEvent } from '../model/node-record.ts';
import { newSummary, type Summary } from '../model/summary.ts';
import { lineOf, type NodeLine } from './node-line.ts';
import { type Addition, type Store, StoreBusy, storedForm } from './store.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS nodes (
    namespace TEXT NOT NULL, name TEXT NOT NULL, spec TEXT NOT NULL, summary TEXT NOT NULL,
    epoch INTEGER NOT NULL, seq INTEGER NOT NULL, stored_at INTEGER NOT NULL, writes INTEGER NOT NULL,
    PRIMARY KEY (namespace, name)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS nodes_by_key ON nodes (json_extract(spec, '$.keyDigest'));
  CREATE TABLE IF NOT EXISTS events (
    namespace TEXT NOT NULL, name TEXT NOT NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
    event TEXT NOT NULL, PRIMARY KEY (namespace, name, epoch, seq)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL, namespace TEXT NOT NULL, machine TEXT,
    expires_at INTEGER NOT NULL, uses INTEGER, used INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`;
/**
 * What remains of a machine's events, of which a real one has hundreds: the beginning and the latest. It is looked at now and then,
 * so that there may be some thousands more.
 */
const KEPT = { first: 40, last: 4_000, everyWrites: 16 };
/** Version of the tables. */
const USER_VERSION = 2;
/** What version 2 added to those of version 1: tokens count their uses. */
const FROM_1 = `
  ALTER TABLE tokens ADD COLUMN uses INTEGER;
  ALTER TABLE tokens ADD COLUMN used INTEGER NOT NULL DEFAULT 0;`;

interface Row {
  namespace: string;
  name: string;
  spec: string;
  summary: string;
  epoch: number;
  seq: number;
  stored_at: number;
  writes: number;
}

interface Waiting {
  work: () => unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/**
 * The embedded store: one file, for people without a management cluster. Concurrent writes of many machines
 * share one transaction and one sync to disk.
 */
export class SqliteStore implements Store {
  readonly thrifty = false;
  readonly database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #event: StatementSync;
  readonly #certify: StatementSync;
  readonly #remove: StatementSync;
  readonly #forget: StatementSync;
  readonly #trim: StatementSync;
  readonly #ofKey: StatementSync;
  #waiting: Waiting[] = [];

  /** @throws Error if the file is no database of this version */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.database = new DatabaseSync(path, { timeout: 5_000 });
    // It holds the authority's key. SQLite gives its other files the same mode.
    chmodSync(path, 0o600);
    this.database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    this.#migrate(path);
    const prepare = (sql: string): StatementSync => this.database.prepare(sql);
    this.#find = prepare('SELECT * FROM nodes WHERE namespace = ? AND name = ?');
    this.#insert = prepare('INSERT INTO nodes VALUES (?, ?, ?, ?, 0, 0, ?, 0) ON CONFLICT DO NOTHING');
    this.#update = prepare(
      `UPDATE nodes SET summary = ?, epoch = ?, seq = ?, stored_at = ?, writes = writes + 1
       WHERE namespace = ? AND name = ? AND epoch = ? AND seq = ?`,
    );
    this.#event = prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
    this.#certify = prepare('UPDATE nodes SET spec = ? WHERE namespace = ? AND name = ? AND spec = ?');
    this.#remove = prepare(
      'DELETE FROM nodes WHERE namespace = ? AND name = ? AND spec = ? AND epoch = ? AND seq = ?',
    );
    this.#forget = prepare('DELETE FROM events WHERE namespace = ? AND name = ?');
    this.#trim = prepare(
      `DELETE FROM events WHERE namespace = :namespace AND name = :name
       AND (epoch, seq) > (SELECT epoch, seq FROM events WHERE namespace = :namespace AND name = :name
         ORDER BY epoch, seq LIMIT 1 OFFSET ${KEPT.first - 1})
       AND (epoch, seq) <= (SELECT epoch, seq FROM events WHERE namespace = :namespace AND name = :name
         ORDER BY epoch DESC, seq DESC LIMIT 1 OFFSET ${KEPT.last})`,
    );
    this.#ofKey = prepare(
      "SELECT namespace, name FROM nodes WHERE json_extract(spec, '$.keyDigest') = ? LIMIT 1",
    );
  }

  /** In one transaction: a command may open the file while the server makes the tables. */
  #migrate(path: string): void {
    this.database.exec('BEGIN IMMEDIATE');
    const { user_version: found } = this.database.prepare('PRAGMA user_version').get() as {
      user_version: number;
    };
    if (found > USER_VERSION) {
      throw new ExpectedError(
        `${path} was written by a newer slipway-controller (tables ${found}, known ${USER_VERSION})`,
      );
    }
    if (found === 1) this.database.exec(FROM_1);
    this.database.exec(`${SCHEMA} PRAGMA user_version = ${USER_VERSION}; COMMIT;`);
  }

  async find(namespace: string, name: string): Promise<NodeRecord | undefined> {
    const row = this.#find.get(namespace, name) as unknown as Row | undefined;
    return row && recordOf(row);
  }

  create(namespace: string, name: string, spec: NodeSpec): Promise<NodeRecord | undefined> {
    return this.write(() => {
      const now = Date.now();
      const summary = newSummary();
      const { changes } = this.#insert.run(
        namespace,
        name,
        JSON.stringify(spec),
        JSON.stringify(summary),
        now,
      );
      return Number(changes) === 0
        ? undefined
        : { namespace, name, spec, epoch: 0, seq: 0, summary, storedAt: now, writes: 0 };
    });
  }

  append(record: NodeRecord, { epoch, events, summary }: Addition): Promise<NodeRecord | undefined> {
    return this.write(() => {
      const { namespace, name } = record;
      const now = Date.now();
      const seq = events.at(-1)?.seq ?? record.seq;
      const { changes } = this.#update.run(
        ...[JSON.stringify(summary), epoch, seq, now],
        ...[namespace, name, record.epoch, record.seq],
      );
      if (Number(changes) === 0) return undefined;
      for (const event of events)
        this.#event.run(namespace, name, epoch, event.seq, JSON.stringify(storedForm(event)));
      if (record.writes % KEPT.everyWrites === KEPT.everyWrites - 1) this.#trim.run({ namespace, name });
      return { ...record, epoch, seq, summary, storedAt: now, writes: record.writes + 1 };
    });
  }

  certify(record: NodeRecord, certificate: CertificateState): Promise<NodeRecord | undefined> {
    return this.write(() => {
      const { namespace, name } = record;
      const spec = { ...record.spec, certificate };
      const { changes } = this.#certify.run(
        ...[JSON.stringify(spec), namespace, name, JSON.stringify(record.spec)],
      );
      return Number(changes) === 0 ? undefined : { ...record, spec };
    });
  }

  remove({ namespace, name, spec, epoch, seq }: NodeRecord): Promise<boolean> {
    return this.write(() => {
      const { changes } = this.#remove.run(namespace, name, JSON.stringify(spec), epoch, seq);
      if (Number(changes) > 0) this.#forget.run(namespace, name);
      return Number(changes) > 0;
    });
  }

  /** The node that enrolled with this key. */
  nodeOfKey(keyDigest: string): { namespace: string; name: string } | undefined {
    return this.#ofKey.get(keyDigest) as { namespace: string; name: string } | undefined;
  }

  async list(namespace?: string): Promise<NodeRecord[]> {
    const where = namespace === undefined ? '' : 'WHERE namespace = ?';
    const rows = this.database
      .prepare(`SELECT * FROM nodes ${where} ORDER BY namespace, name`)
      .all(...(namespace === undefined ? [] : [namespace]));
    return (rows as unknown as Row[]).map(recordOf);
  }

  async overview(namespace?: string): Promise<NodeLine[]> {
    const now = Date.now();
    return (await this.list(namespace)).map((record) => lineOf(record, now));
  }

  async events(namespace: string, name: string): Promise<StoredEvent[]> {
    const rows = this.database
      .prepare('SELECT event FROM events WHERE namespace = ? AND name = ? ORDER BY epoch, seq')
      .all(namespace, name) as { event: string }[];
    return rows.map(({ event }) => JSON.parse(event) as StoredEvent);
  }

  async close(): Promise<void> {
    this.#flush();
    this.database.close();
  }

  setting(name: string): string | undefined {
    const row = this.database.prepare('SELECT value FROM settings WHERE name = ?').get(name);
    return (row as { value: string } | undefined)?.value;
  }

  /** @returns false if it is no longer what it was `before` */
  putSetting(name: string, value: string, before: string | undefined): Promise<boolean> {
    return this.write(() => {
      const { changes } =
        before === undefined
          ? this.database
              .prepare('INSERT INTO settings VALUES (?, ?) ON CONFLICT DO NOTHING')
              .run(name, value)
          : this.database
              .prepare('UPDATE settings SET value = ? WHERE name = ? AND value = ?')
              .run(value, name, before);
      return Number(changes) > 0;
    });
  }

  /**
   * Runs `work` in the next transaction; settles when it is on disk.
   *
   * @throws StoreBusy if the disk refuses it
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ work, resolve: resolve as (result: never) => void, reject });
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0) return;
    const results: unknown[] = [];
    try {
      this.database.exec('BEGIN IMMEDIATE');
      for (const { work } of waiting) results.push(work());
      this.database.exec('COMMIT');
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      const busy = new StoreBusy(`the store takes nothing: ${(error as Error).message}`, undefined, {
        cause: error,
      });
      for (const { reject } of waiting) reject(busy);
      return;
    }
    waiting.forEach(({ resolve }, at) => {
      resolve(results[at] as never);
    });
  }
}

function recordOf(row: Row): NodeRecord {
  return {
    namespace: row.namespace,
    name: row.name,
    spec: JSON.parse(row.spec) as NodeSpec,
    summary: JSON.parse(row.summary) as Summary,
    epoch: row.epoch,
    seq: row.seq,
    storedAt: row.stored_at,
    writes: row.writes,
  };
}
