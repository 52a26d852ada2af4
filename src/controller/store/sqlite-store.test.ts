import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { ReadEvent } from '../../protocol/events.ts';
import { SqliteTokens } from '../attest/sqlite-tokens.ts';
import { SqliteStore } from './sqlite-store.ts';

let dir: string;
beforeEach(() => {
  dir = scratch();
});

it('takes over the tables of an older controller with the tokens in them', async () => {
  const path = join(dir, 'slipway.db');
  const older = new DatabaseSync(path);
  older.exec(`
    CREATE TABLE tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL, namespace TEXT NOT NULL, machine TEXT,
      expires_at INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO tokens VALUES ('abcdefghij', 'h', 'default', NULL, 7);
    PRAGMA user_version = 1;`);
  older.close();
  for (let start = 0; start < 2; start += 1) {
    const store = new SqliteStore(path);
    const tokens = new SqliteTokens(store);
    expect(tokens.find('abcdefghij')).toEqual({
      id: 'abcdefghij',
      hash: 'h',
      namespace: 'default',
      expiresAt: 7,
    });
    expect(await tokens.take('abcdefghij')).toBe(true);
    expect((await tokens.list())[0]?.used).toBe(start + 1);
    await store.close();
  }
});

it('counts the uses of a token, and forgets one that is revoked', async () => {
  const store = new SqliteStore(join(dir, 'slipway.db'));
  const tokens = new SqliteTokens(store);
  await tokens.add({ id: 'a', hash: 'h', namespace: 'default', uses: 2, expiresAt: 7 });
  const taken = await Promise.all([tokens.take('a'), tokens.take('a'), tokens.take('a')]);
  expect(taken).toEqual([true, true, false]);
  tokens.giveBack('a');
  expect(await tokens.take('a')).toBe(true);
  expect([await tokens.revoke('a'), await tokens.revoke('a'), await tokens.take('a')]).toEqual([
    true,
    false,
    false,
  ]);
  await store.close();
});

it('keeps the beginning and the latest of what one machine tells without end, and all of the others', async () => {
  const store = new SqliteStore(join(dir, 'slipway.db'));
  const spec = { instance: 'i', hostname: 'h', enrolment: { method: 'token', at: '' } };
  const other = await store.create('ns', 'other', { ...spec, keyDigest: 'o' });
  let node = await store.create('ns', 'talks', { ...spec, keyDigest: 'k' });
  if (!node || !other) throw new Error('it was not made');
  const event = (seq: number, boot: string) => ({ seq, boot, type: 'heartbeat' }) as unknown as ReadEvent;
  await store.append(other, { epoch: 0, events: [event(1, 'a')], summary: other.summary });
  for (let write = 0; write < 48; write += 1) {
    // As it lost its spool now and then, its numbers begin anew.
    const [epoch, from] = [Math.floor(write / 10), (write % 10) * 256];
    const events = Array.from({ length: 256 }, (_, at) => event(from + at + 1, `boot ${epoch}`));
    node = (await store.append(node, { epoch, events, summary: node.summary })) ?? node;
  }
  const kept = await store.events('ns', 'talks');
  expect(kept).toHaveLength(4_040);
  expect(kept.slice(0, 41).map(({ seq, boot }) => `${boot} ${seq}`)).toEqual([
    ...Array.from({ length: 40 }, (_, at) => `boot 0 ${at + 1}`),
    'boot 3 609',
  ]);
  expect(kept.at(-1)).toMatchObject({ boot: 'boot 4', seq: 2_048 });
  expect(await store.events('ns', 'other')).toHaveLength(1);
  await store.close();
});
