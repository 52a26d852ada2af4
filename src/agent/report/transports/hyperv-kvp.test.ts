import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventBody, SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
// Made by cloud-init's own HyperVKvpReportingHandler (26.2), with SLIPWAY as its prefix, from the messages below.
import fromCloudInit from './fixtures/cloud-init-kvp.json' with { type: 'json' };
import { HypervKvpTransport } from './hyperv-kvp.ts';
import { hypervVmId } from './hyperv-vm-id.ts';
import type { KvpPool } from './kvp-pool.ts';
import { kvpRecords } from './kvp-record.ts';

const ORIGIN = { incarnation: 1767323000, vmId: '0f8fad5b-d9cb-469f-a165-70867728950e' };
const UUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

const sequence = 's-1';
const step = { id: 'kubeadm join', title: 'kubeadm join' };
const done = { type: 'step.ended', sequence, step, attempt: 1, result: 'done', ms: 61_250 } as const;
const failed = (cause: string, code: string): EventBody => ({
  ...done,
  result: 'failed',
  ms: 1500,
  failure: { code, cause, remedy: 'Look at it.' },
});
const began: EventBody = {
  type: 'sequence.started',
  sequence,
  mode: 'bootstrap',
  steps: [step, step],
  resumed: false,
};

function event(body: EventBody, time = '2026-01-02T03:04:05.678Z'): SlipwayEvent {
  const machine = { instance: 'i-1', hostname: 'h' };
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  return { v: 1, machine, boot: 'b-1', seq: 7, time, mono: 1, traceparent, ...body } as SlipwayEvent;
}

function asRecord(key: string, value: string): Buffer {
  const bytes = Buffer.alloc(2560);
  bytes.write(key);
  bytes.write(value, 512);
  return bytes;
}
const unpad = (bytes: Buffer) => bytes.toString('utf8').replace(/\0+$/, '');
function split(pool: Buffer): { key: string; value: string }[] {
  return Array.from({ length: Math.ceil(pool.length / 2560) }, (_, index) => {
    const bytes = pool.subarray(index * 2560, (index + 1) * 2560);
    return { key: unpad(bytes.subarray(0, 512)), value: unpad(bytes.subarray(512)) };
  });
}
const records = (of: SlipwayEvent) => Buffer.concat(kvpRecords(of, ORIGIN, UUID));

describe('a record for Hyper-V', () => {
  it("has the very bytes of cloud-init's", () => {
    const cause = 'Zertifikat "ungültig" \\ € 😀';
    const made = [
      event(began),
      event(began, '2026-01-02T03:04:05.000Z'),
      event(done),
      event(failed(cause, 'X509')),
      event(failed('0123456789'.repeat(240), 'Unclassified')),
    ].map(records);
    const theirs = Buffer.concat(fromCloudInit.map(({ key, value }) => asRecord(key, value)));
    expect(split(Buffer.concat(made))).toEqual(fromCloudInit);
    expect(Buffer.concat(made).equals(theirs)).toBe(true);
  });

  it('is split where it is longer than Azure reads, each part JSON, and nothing of it lost', () => {
    for (const text of ['€', '"', '\\', '😀', 'a\u007f', 'plain ', '€"\\😀z']) {
      // A different offset each time, so that the cut comes everywhere in an escape.
      for (let offset = 0; offset < 12; offset += 1) {
        const cause = '.'.repeat(offset) + text.repeat(1200 / text.length);
        const parts = split(records(event(failed(cause, 'X'))));
        expect(parts.length).toBeGreaterThan(1);
        for (const [index, { key, value }] of parts.entries()) {
          expect(key.endsWith(`|${UUID}|${index}`)).toBe(true);
          expect(value.length).toBeLessThan(1024);
          expect(JSON.parse(value)).toMatchObject({ result: 'FAIL', msg_i: index });
        }
        const message = parts.map(({ value }) => JSON.parse(value).msg).join('');
        expect(message).toBe(`kubeadm join: FAILED (1.5s): ${cause} [X]`);
      }
    }
  });

  it('keeps the form of its key whatever a step is called', () => {
    const long = '€|'.repeat(600);
    const [bytes = Buffer.alloc(0)] = kvpRecords(
      event({ ...done, step: { id: long, title: 'x' } }),
      ORIGIN,
      UUID,
    );
    expect(bytes.length).toBe(2560);
    expect(split(bytes)[0]?.key.split('|')).toHaveLength(6);
  });

  it('is not made of what hosts need not know', () => {
    expect(kvpRecords(event({ type: 'heartbeat', sequence, step }), ORIGIN, UUID)).toEqual([]);
  });
});

describe('the key-value pool of Hyper-V', () => {
  let folder: string;
  let host: Host;
  let pool: KvpPool;
  let children: ChildProcess[];
  const others = asRecord('CLOUD_INIT|1|start|x|vm|u', '{"msg":"theirs"}');
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-kvp-'));
    host = createLinuxHost();
    pool = { path: join(folder, 'hyperv/pool'), started: join(folder, 'started') };
    mkdirSync(dirname(pool.path));
    children = [];
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const read = () => split(readFileSync(pool.path)).map(({ key }) => key.split('|')[0]);
  /** Writes a file that was last changed so many seconds after the boot, by the clock of now. */
  const put = (path: string, content: Buffer, sinceBoot: number) => {
    writeFileSync(path, content);
    const at = (Date.now() - host.clock.monotonic()) / 1000 + sinceBoot;
    utimesSync(path, at, at);
  };

  it('gets records behind those of others of this boot', async () => {
    put(pool.started, Buffer.alloc(0), 1);
    put(pool.path, others, 5);
    const transport = new HypervKvpTransport(host, pool);
    expect(await transport.deliver([event(began), event(done)])).toBe(7);
    expect(await transport.deliver([event({ type: 'heartbeat', sequence })])).toBe(7);
    expect(readFileSync(pool.path).subarray(0, 2560).equals(others)).toBe(true);
    const keys = split(readFileSync(pool.path)).map(({ key }) => key.split('|'));
    expect(keys.slice(1).map(([owner, , type, name]) => [owner, type, name])).toEqual([
      ['SLIPWAY', 'start', 'bootstrap'],
      ['SLIPWAY', 'finish', 'kubeadm join'],
    ]);
    const booted = Math.floor((Date.now() - host.clock.monotonic()) / 1000);
    for (const [, incarnation] of keys.slice(1))
      expect(Math.abs(Number(incarnation) - booted)).toBeLessThanOrEqual(10);
  });

  it('is made where it is not there', async () => {
    rmSync(dirname(pool.path), { recursive: true });
    await new HypervKvpTransport(host, pool).deliver([event(done)]);
    expect(read()).toEqual(['SLIPWAY']);
    expect(statSync(pool.path).mode & 0o777).toBe(0o644);
  });

  it('loses the records of an earlier boot, once', async () => {
    put(pool.started, Buffer.alloc(0), 1);
    put(pool.path, Buffer.concat([others, others]), -3600);
    const transport = new HypervKvpTransport(host, pool);
    await transport.deliver([event(began)]);
    await transport.deliver([event(done)]);
    expect(read()).toEqual(['SLIPWAY', 'SLIPWAY']);
  });

  it('keeps those of this boot when the clock was set forward after they were written', async () => {
    // Both files have the time of a clock that is years behind; now it is right.
    put(pool.started, Buffer.alloc(0), -200_000_000);
    put(pool.path, others, -200_000_000 + 4);
    await new HypervKvpTransport(host, pool).deliver([event(done)]);
    expect(read()).toEqual(['CLOUD_INIT', 'SLIPWAY']);
  });

  it('keeps those of this boot when the clock was set back before they were written', async () => {
    put(pool.started, Buffer.alloc(0), 200_000_000);
    put(pool.path, others, 4);
    await new HypervKvpTransport(host, pool).deliver([event(done)]);
    expect(read()).toEqual(['CLOUD_INIT', 'SLIPWAY']);
  });

  it('cuts off half a record, which would make all behind it unreadable', async () => {
    put(pool.path, Buffer.concat([others, others.subarray(0, 700)]), 5);
    await new HypervKvpTransport(host, pool).deliver([event(done)]);
    expect(read()).toEqual(['CLOUD_INIT', 'SLIPWAY']);
  });

  it('has all or nothing of a delivery when the disk is full', async () => {
    put(pool.path, others, 5);
    // A limit on the size of files stands for the disk: the second of three records does not fit whole.
    const real = host.processes;
    const limited: Host = {
      ...host,
      processes: {
        ...real,
        run: (spec) => real.run({ ...spec, argv: ['prlimit', '--fsize=6000', ...spec.argv] }),
      },
    };
    const transport = new HypervKvpTransport(limited, pool);
    await expect(transport.deliver([event(done), event(done), event(done)])).rejects.toThrow(/pool: .+/);
    expect(readFileSync(pool.path).equals(others)).toBe(true);
  });

  it("waits for others' lock", async () => {
    put(pool.path, others, 5);
    const released = join(folder, 'released');
    const hold = `echo locked; sleep 1; touch ${released}`;
    const holder = spawn('flock', [pool.path, 'sh', '-c', hold], { stdio: 'pipe' });
    children.push(holder);
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    await new HypervKvpTransport(host, pool).deliver([event(done)]);
    expect(existsSync(released)).toBe(true);
    expect(read()).toEqual(['CLOUD_INIT', 'SLIPWAY']);
  });

  it('mixes nothing when many write at once', async () => {
    put(pool.path, others, 5);
    const story = Array.from({ length: 20 }, () => event(failed('x'.repeat(2000), 'X')));
    await Promise.all(
      Array.from({ length: 6 }, async () => new HypervKvpTransport(host, pool).deliver(story)),
    );
    const written = split(readFileSync(pool.path)).slice(1);
    expect(written.length % 120).toBe(0);
    for (const [index, { key, value }] of written.entries()) {
      expect(key.startsWith('SLIPWAY|')).toBe(true);
      expect(JSON.parse(value).msg_i).toBe(index % (written.length / 120));
    }
  });

  it('says why it could not be written', async () => {
    rmSync(dirname(pool.path), { recursive: true });
    mkdirSync(pool.path, { recursive: true });
    await expect(new HypervKvpTransport(host, pool).deliver([event(done)])).rejects.toThrow(/directory/);
  });
});

describe('the id of the virtual machine', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-vmid-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const id = () => hypervVmId(createLinuxHost({ root: folder }));
  const DMI = '/sys/class/dmi/id';

  it("is the firmware's, on Azure's first generation in the byte order of the host", async () => {
    expect(await id()).toBe('00000000-0000-0000-0000-000000000000');
    put(`${DMI}/product_uuid`, '12345678-9ABC-DEF0-1122-334455667788\n');
    expect(await id()).toBe('12345678-9abc-def0-1122-334455667788');
    put(`${DMI}/chassis_asset_tag`, '7783-7084-3265-9085-8269-3286-77\n');
    expect(await id()).toBe('78563412-bc9a-f0de-1122-334455667788');
    put('/sys/firmware/efi/x', '');
    expect(await id()).toBe('12345678-9abc-def0-1122-334455667788');
  });
});
