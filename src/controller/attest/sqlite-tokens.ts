import type { SqliteStore } from '../store/sqlite-store.ts';
import type { ServingTokens, TokenAdmin, TokenRecord } from './token.ts';

interface Row {
  id: string;
  hash: string;
  namespace: string;
  machine: string | null;
  expires_at: number;
  uses: number | null;
  used: number;
}

/** Tokens in the embedded store. */
export class SqliteTokens implements ServingTokens, TokenAdmin {
  readonly #store: SqliteStore;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  find(id: string): TokenRecord | undefined {
    const row = this.#store.database.prepare('SELECT * FROM tokens WHERE id = ?').get(id);
    return row && recordOf(row as unknown as Row);
  }

  async take(id: string): Promise<boolean> {
    return await this.#store.write(() => {
      const { changes } = this.#store.database
        .prepare('UPDATE tokens SET used = used + 1 WHERE id = ? AND (uses IS NULL OR used < uses)')
        .run(id);
      return Number(changes) > 0;
    });
  }

  giveBack(id: string): void {
    this.#store.database.prepare('UPDATE tokens SET used = used - 1 WHERE id = ? AND used > 0').run(id);
  }

  async add({ id, hash, namespace, machine, uses, expiresAt }: TokenRecord): Promise<void> {
    await this.#store.write(() =>
      this.#store.database
        .prepare(
          'INSERT INTO tokens (id, hash, namespace, machine, expires_at, uses) VALUES (?, ?, ?, ?, ?, ?)',
        )
        .run(id, hash, namespace, machine ?? null, expiresAt, uses ?? null),
    );
  }

  async list(): Promise<(TokenRecord & { used: number })[]> {
    const rows = this.#store.database.prepare('SELECT * FROM tokens ORDER BY expires_at').all();
    return (rows as unknown as Row[]).map((row) => ({ ...recordOf(row), used: row.used }));
  }

  async endRenewal(): Promise<void> {
    // Without a cluster there are no Secrets to renew them in.
  }

  async revoke(id: string): Promise<boolean> {
    return await this.#store.write(
      () => Number(this.#store.database.prepare('DELETE FROM tokens WHERE id = ?').run(id).changes) > 0,
    );
  }
}

function recordOf({ id, hash, namespace, machine, expires_at: expiresAt, uses }: Row): TokenRecord {
  return {
    ...{ id, hash, namespace, expiresAt },
    ...(machine === null ? {} : { machine }),
    ...(uses === null ? {} : { uses }),
  };
}
