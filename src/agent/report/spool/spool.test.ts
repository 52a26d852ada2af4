import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { type Host, HostError } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import type { Draft } from '../events/draft.ts';
import { Spool } from './spool.ts';
import { SPOOL, UNSAVED } from './spool-file.ts';

let folder: string;
let host: Host;
const open: Spool[] = [];
beforeEach(() => {
  folder = scratch();
  host = createLinuxHost({ root: folder });
});
afterEach(async () => {
  for (const spool of open.splice(0)) await spool.close();
});

async function openSpool(instance = 'i-1', acknowledged = 0, on = host): Promise<Spool> {
  const spool = await Spool.open(on, () => ({ instance, hostname: 'h' }), acknowledged);
  open.push(spool);
  return spool;
}

const draft = (value: string, boot = 'b-1', type: 'fact' | 'heartbeat' = 'fact'): Draft => ({
  boot,
  time: '2026-01-02T03:04:05.678Z',
  mono: 1,
  body: type === 'fact' ? { type, name: 'n', value } : { type, sequence: value },
});
const values = (spool: Spool) =>
  spool.after(0, 10_000).map((event) => ('value' in event ? event.value : event.type));
const seqs = (spool: Spool) => spool.after(0, 10_000).map(({ seq }) => seq);
const at = (path: string) => join(folder, path);

describe('the spool', () => {
  it('numbers events and has them again after a restart, with what was told once', async () => {
    const first = await openSpool();
    await first.add([draft('a'), draft('b')], { journal: { id: 'j', seq: 7 } });
    await first.add([draft('c')], { key: 'k' });
    await first.add([draft('c again')], { key: 'k' });
    expect(statSync(at(SPOOL)).mode & 0o777).toBe(0o600);
    const second = await openSpool();
    expect(values(second)).toEqual(['a', 'b', 'c']);
    expect(second.told('j')).toBe(7);
    expect(second.told('another')).toBe(0);
    expect(second.has('k')).toBe(true);
    await second.add([draft('d')]);
    expect(seqs(second)).toEqual([1, 2, 3, 4]);
  });

  it('mends a torn end; events of one line are there together or not at all', async () => {
    const first = await openSpool();
    await first.add([draft('a')]);
    await first.add([draft('b'), draft('c')]);
    await first.close();
    truncateSync(at(SPOOL), statSync(at(SPOOL)).size - 5);
    const second = await openSpool();
    expect(values(second)).toEqual(['a']);
    await second.add([draft('d')]);
    expect(values(await openSpool())).toEqual(['a', 'd']);
    appendFileSync(at(SPOOL), 'no json\n{"events":[{"v":9}]}\n');
    expect(values(await openSpool())).toEqual(['a', 'd']);
  });

  it('passes over lines whose marks are damaged', async () => {
    const first = await openSpool();
    await first.add([draft('a')], { journal: { id: 'j', seq: 7 }, key: 'k' });
    await first.close();
    const [line = ''] = readFileSync(at(SPOOL), 'utf8').split('\n');
    const damaged = [
      { base: { instance: 'i-1', seq: 3, journal: { id: 'j' } } },
      { base: { instance: 'i-1', seq: 1e300 } },
      { base: { instance: 'i-1', seq: Number.MAX_SAFE_INTEGER } },
      { events: [{ ...JSON.parse(line).events[0], seq: Number.MAX_SAFE_INTEGER }] },
      { ...JSON.parse(line), journal: { id: 'j', seq: 'x' } },
      { ...JSON.parse(line), key: 7 },
    ];
    appendFileSync(at(SPOOL), damaged.map((value) => `${JSON.stringify(value)}\n`).join(''));
    const second = await openSpool();
    expect(values(second)).toEqual(['a']);
    expect([second.told('j'), second.lastSeq]).toEqual([7, 1]);
  });

  it('does not send what another machine left in an image, and begins to count anew', async () => {
    await (await openSpool('i-0')).add([draft('of i-0')], { journal: { id: 'j', seq: 7 } });
    const mine = await openSpool('i-1');
    await mine.add([draft('mine')]);
    expect(values(mine)).toEqual(['mine']);
    expect(mine.told('j')).toBe(0);
    expect(readFileSync(at(SPOOL), 'utf8')).not.toContain('i-0');
  });

  it('goes on above what a receiver is known to have', async () => {
    const spool = await openSpool('i-1', 41);
    await spool.add([draft('a')]);
    expect(seqs(spool)).toEqual([42]);
  });

  it('forgets what is acknowledged and of an earlier boot, and neither the count nor the journal', async () => {
    const first = await openSpool();
    await first.add([draft('a', 'b-1')], { journal: { id: 'j', seq: 3 } });
    await first.add([draft('b', 'b-1')]);
    await first.add([draft('c', 'b-2')]);
    expect(await first.trim(1, 'b-2')).toBe(0);
    expect(values(first)).toEqual(['b', 'c']);
    expect(await first.trim(3, 'b-3')).toBe(0);
    const second = await openSpool();
    expect(values(second)).toEqual([]);
    expect(second.told('j')).toBe(3);
    await second.add([draft('d', 'b-3')]);
    expect(seqs(second)).toEqual([4]);
  });

  it('keeps what the last bootstrap has told, over boots, for a controller that lacks it', async () => {
    const begun: Draft = {
      ...draft(''),
      body: { type: 'sequence.started', sequence: 's', mode: 'bootstrap', steps: [], resumed: false },
    };
    const first = await openSpool();
    await first.add([draft('before', 'b-0')]);
    await first.add([draft('a', 'b-1')]);
    await first.add([{ ...begun, boot: 'b-1' }]);
    await first.add([draft('c', 'b-2')]);
    await first.trim(4, 'b-3');
    expect(values(first)).toEqual(['a', 'sequence.started', 'c']);
    expect(first.before('b-2')).toBe(3);
    expect(first.before('b-3')).toBe(4);
    // The next bootstrap takes its place.
    await first.add([{ ...begun, boot: 'b-3' }]);
    await first.trim(4, 'b-3');
    expect(seqs(first)).toEqual([5]);
  });

  it('drops the least important first when nobody takes anything, and says how many', async () => {
    const spool = await openSpool();
    await spool.add(Array.from({ length: 4000 }, () => draft('s', 'b-1', 'heartbeat')));
    await spool.add([
      {
        ...draft(''),
        body: {
          type: 'sequence.ended',
          sequence: 's',
          mode: 'shim',
          result: 'succeeded',
          exitStatus: 0,
          ms: 1,
        },
      },
    ]);
    await spool.add(Array.from({ length: 200 }, () => draft('s', 'b-1', 'heartbeat')));
    const lost = await spool.trim(0, 'b-1');
    expect(lost).toBeGreaterThan(100);
    expect(spool.after(0, 10_000)).toHaveLength(4201 - lost);
    expect(spool.after(0, 10_000).some(({ type }) => type === 'sequence.ended')).toBe(true);
    expect(spool.lastSeq).toBe(4201);
  });

  it('refuses what a receiver would refuse, and goes on', async () => {
    const spool = await openSpool();
    await expect(spool.add([{ ...draft('a'), mono: Number.NaN }])).rejects.toThrow(/mono/);
    await spool.add([draft('b')]);
    expect(seqs(spool)).toEqual([1]);
  });
});

describe('a disk that takes nothing', () => {
  it('leaves the events in /run and memory, and gets them when it can', async () => {
    mkdirSync(dirname(at(SPOOL)), { recursive: true });
    let full = true;
    const files: Host['files'] = {
      ...host.files,
      async openAppend(path, mode) {
        const handle = await host.files.openAppend(path, mode);
        return {
          ...handle,
          async append(data) {
            if (!full) return handle.append(data);
            // What a full disk does: it takes a part.
            await handle.append(data.slice(0, 10));
            throw new HostError('writing: no space left on device', 'ENOSPC');
          },
        };
      },
    };
    const first = await openSpool('i-1', 0, { ...host, files });
    await first.add([draft('a')]);
    await first.add([draft('b')]);
    expect(first.trouble).toMatch(/no space left/);
    expect(values(first)).toEqual(['a', 'b']);
    expect(readFileSync(at(SPOOL), 'utf8')).toBe('');
    expect(readFileSync(at(UNSAVED), 'utf8')).toContain('"b"');
    // Killed now, the next reporter finds them.
    expect(values(await openSpool('i-1', 0, { ...host, files }))).toEqual(['a', 'b']);
    full = false;
    await first.save();
    expect(first.trouble).toBeUndefined();
    await first.add([draft('c')]);
    const second = await openSpool();
    expect(values(second)).toEqual(['a', 'b', 'c']);
    expect(seqs(second)).toEqual([1, 2, 3]);
  });

  it('is told by name when even the directory cannot be made', async () => {
    writeFileSync(at('/var'), 'in the way');
    const spool = await openSpool();
    await spool.add([draft('a')]);
    expect(spool.trouble).toMatch(/not a directory/);
    expect(values(await openSpool())).toEqual(['a']);
  });
});
