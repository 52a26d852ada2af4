import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { INSTANCE_NOTE, JOURNAL, STATE_DIR } from '../document/paths.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { Journal } from './journal.ts';
import {
  lastInstance,
  notedSeed,
  removeNoteBesideJournal,
  successNote,
  writeNoteBesideJournal,
} from './last-instance.ts';
import { recordsOf } from './parse-journal.ts';

const ONE = '4c4c4544-0033-4d10-8052-b4c04f465931';
const TURNED = '44454c4c-3300-104d-8052-b4c04f465931';
const OTHER = 'ec2e1916-9099-7caf-fd21-012345abcdef';

let root: string;
beforeEach(() => {
  root = scratch();
  mkdirSync(join(root, 'sys/class/dmi/id'), { recursive: true });
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc/machine-id'), 'm-1\n');
});

/** undefined: a machine whose firmware says nothing. */
const shows = (uuid: string | undefined) => {
  const file = join(root, 'sys/class/dmi/id/product_uuid');
  rmSync(file, { force: true });
  if (uuid !== undefined) writeFileSync(file, `${uuid}\n`);
};
const host = () => createLinuxHost({ root });
const note = () => JSON.parse(readFileSync(join(root, INSTANCE_NOTE), 'utf8'));

it.each([
  ['the same machine', ONE, ONE, 'i-1'],
  ['in capitals', ONE, ONE.toUpperCase(), 'i-1'],
  ['shown in the other byte order', ONE, TURNED, 'i-1'],
  ['not shown any more', ONE, undefined, 'i-1'],
  ['not shown before', undefined, ONE, 'i-1'],
  ['a board without a UUID of its own', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', ONE, 'i-1'],
  ['a filler of the maker', ONE, '03000200-0400-0500-0006-000700080009', 'i-1'],
  ['the copy of a disk in another machine', ONE, OTHER, OTHER],
])('%s', async (_, before, now, instance) => {
  shows(before);
  await writeNoteBesideJournal(host(), 'i-1');
  shows(now);
  expect(await lastInstance(host())).toBe(instance);
});

it('counts for no machine of another machine id', async () => {
  await writeNoteBesideJournal(host(), 'i-1');
  writeFileSync(join(root, 'etc/machine-id'), 'm-2\n');
  expect(await lastInstance(host())).toBe('m-2');
});

it('learns the UUID of a machine whose source answers again, and forgets none', async () => {
  await writeNoteBesideJournal(host(), 'i-1');
  expect(note()).not.toHaveProperty('uuid');
  for (const uuid of [ONE, OTHER]) {
    shows(uuid);
    await writeNoteBesideJournal(host(), 'i-1');
    expect([note().uuid, await lastInstance(host())]).toEqual([uuid, 'i-1']);
  }
  shows(undefined);
  await writeNoteBesideJournal(host(), 'i-1');
  expect(note().uuid).toBe(OTHER);
});

let runs = 0;
/** A success as `runJournalled` records it; or its agent is killed before it removes what lies beside the journal. */
async function succeed(instance: string, seed?: string | null, isWhole = true): Promise<void> {
  await host().files.mkdir(STATE_DIR, 0o700);
  const journal = await Journal.open(host());
  const noted = await successNote(host(), journal.records, seed);
  runs += 1;
  const run = `r${runs}`;
  const about = { run, instance, mode: 'bootstrap', agent: '0', pid: 1 } as const;
  await journal.append({ type: 'run.started', ...about });
  const ended = { run, sequence: 's', result: 'succeeded', exitStatus: 0, ms: 1 } as const;
  await journal.append({ type: 'sequence.ended', ...ended, ...(noted ? { noted } : {}) });
  await journal.close();
  if (isWhole) await removeNoteBesideJournal(host());
}
const known = async () => [await lastInstance(host()), await notedSeed(host())];

it('is told by the journal of the last success, and by nothing beside it', async () => {
  shows(ONE);
  await succeed('i-1', 'a'.repeat(64));
  expect(await known()).toEqual(['i-1', 'a'.repeat(64)]);
  expect(existsSync(join(root, INSTANCE_NOTE))).toBe(false);
  await writeNoteBesideJournal(host(), 'i-1');
  expect(existsSync(join(root, INSTANCE_NOTE))).toBe(false);
  expect((await recordsOf(host())).at(-1)).toMatchObject({ noted: { machine: 'm-1', uuid: ONE } });
  shows(undefined);
  await succeed('i-1');
  expect(await known()).toEqual(['i-1', 'a'.repeat(64)]);
  shows(OTHER);
  await succeed('i-2', null);
  expect(await known()).toEqual(['i-2', null]);
});

it('goes by what was noted last, beside the journal or in it', async () => {
  await succeed('i-1', null);
  await writeNoteBesideJournal(host(), 'i-1', 'b');
  expect(await known()).toEqual(['i-1', 'b']);
  await succeed('i-1');
  expect(await known()).toEqual(['i-1', 'b']);
  await succeed('i-2', null);
  expect(await known()).toEqual(['i-2', null]);
});

it('takes the note of an older release for what it was, until a success is noted in the journal', async () => {
  const older = '{"version":1,"instance":"i-1","machine":"m-1","seed":"c"}\n';
  await host().files.write(INSTANCE_NOTE, older);
  expect(await known()).toEqual(['i-1', 'c']);
  await succeed('i-1');
  expect(await known()).toEqual(['i-1', 'c']);
  await succeed('i-2', null);
  expect(await known()).toEqual(['i-2', null]);
  // That release was put back, and bootstrapped.
  await host().files.write(INSTANCE_NOTE, older);
  expect(await known()).toEqual(['i-1', 'c']);
});

it('goes by the journal where the agent was killed before it removed what lies beside it', async () => {
  await succeed('i-1', null);
  await writeNoteBesideJournal(host(), 'i-1', 'b');
  await succeed('i-2', null, false);
  expect(await known()).toEqual(['i-2', null]);
});

it('goes by no note that was beside a journal which is gone', async () => {
  for (let boots = 0; boots < 5; boots += 1) await succeed('i-1', null);
  await writeNoteBesideJournal(host(), 'i-1', 'b');
  rmSync(join(root, JOURNAL));
  expect(await known()).toEqual(['i-1', 'b']);
  await succeed('i-1', 'd');
  expect(await known()).toEqual(['i-1', 'd']);
});

it('names nobody for a success of which the beginning is lost', async () => {
  await succeed('i-1', null);
  await succeed('i-2', null);
  const lines = readFileSync(join(root, JOURNAL), 'utf8').split('\n');
  const lost = lines.findIndex((line) => line.includes('i-2'));
  writeFileSync(join(root, JOURNAL), lines.filter((_, index) => index !== lost).join('\n'));
  shows(undefined);
  expect(await lastInstance(host())).toBe('m-1');
});
