import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openPart, partDigest, sealPart } from './sealed-part.ts';

const BOUND = { machine: '0b1c', expires: '2026-11-22T12:00:00Z' };
const CONTENT = Buffer.from('#cloud-config\nruncmd: [kubeadm join]\n');

it('opens with its key, for its Machine and until its end only', () => {
  const { part, key } = sealPart(CONTENT, BOUND);
  expect(openPart(part, key, BOUND, 1000)).toEqual(CONTENT);
  expect(part.toString('latin1')).not.toContain('kubeadm');
  for (const other of [
    { ...BOUND, machine: '0b1d' },
    { ...BOUND, expires: '2099-11-22T12:00:00Z' },
  ])
    expect(() => openPart(part, key, other, 1000)).toThrow(/another/);
  expect(() => openPart(part, randomBytes(32), BOUND, 1000)).toThrow(/another/);
});

it('opens no more when any byte is another, or it was cut off', () => {
  const { part, key } = sealPart(CONTENT, BOUND);
  for (let at = 0; at < part.length; at += 1) {
    const changed = Buffer.from(part);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => openPart(changed, key, BOUND, 1000), `byte ${at}`).toThrow(/another/);
    expect(partDigest(changed)).not.toBe(partDigest(part));
    expect(() => openPart(part.subarray(0, at), key, BOUND, 1000), `${at} bytes`).toThrow(/another/);
  }
});

it('bounds what comes out of it', () => {
  const { part, key } = sealPart(Buffer.alloc(10_000_000), BOUND);
  expect(part.length).toBeLessThan(20_000);
  expect(() => openPart(part, key, BOUND, 1_000_000)).toThrow(/more than 1000000 bytes/);
});
