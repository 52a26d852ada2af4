import type { SqliteStore } from '../store/sqlite-store.ts';
import type { TokenBook, TokenRecord } from './token.ts';

interface Row {
  id: string;
  hash: string;
  namespace: string;
  machine: string | null;
  expires_at: number;
}

/** Tokens in the embedded store. */
export class SqliteTokens implements TokenBook {
  readonly #store: SqliteStore;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  async find(id: string): Promise<TokenRecord | undefined> {
    const row = this.#store.database.prepare('SELECT * FROM tokens WHERE id = ?').get(id) as unknown as
      | Row
      | undefined;
    if (!row) return undefined;
    const { machine, expires_at: expiresAt, ...rest } = row;
    return { ...rest, expiresAt, ...(machine === null ? {} : { machine }) };
  }

  async add({ id, hash, namespace, machine, expiresAt }: TokenRecord): Promise<void> {
    await this.#store.write(() =>
      this.#store.database
        .prepare('INSERT INTO tokens VALUES (?, ?, ?, ?, ?)')
        .run(id, hash, namespace, machine ?? null, expiresAt),
    );
  }
}
