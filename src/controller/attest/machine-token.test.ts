import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { MachineTokenAttestor, mintMachineToken } from './machine-token.ts';

const UID = '0b8f1c1e-2f4b-4d0e-9a51-1c4f1a2b3c4d';
const secret = randomBytes(32);
const attestor = new MachineTokenAttestor(() => [secret], {
  byUid: (uid) => (uid === UID ? { namespace: 'ns' } : undefined),
});
const attest = (token: string) =>
  attestor.attest({ token, machine: { instance: 'i', hostname: 'h' }, csr: '', channel: Buffer.alloc(0) });

describe("a Machine's token", () => {
  it('proves the Machine that it was made for', async () => {
    expect(await attest(mintMachineToken(UID, 3, Date.now() + 60_000, secret))).toEqual({
      method: 'machine-token',
      namespace: 'ns',
      machineUid: UID,
      epoch: 3,
    });
    expect(await attest('slwt.another-kind-of-token')).toBeUndefined();
  });

  it('proves nothing when it has run out, was made by another, for a Machine that is gone, or was changed anywhere', async () => {
    const good = mintMachineToken(UID, 3, Date.now() + 60_000, secret);
    await expect(attest(mintMachineToken(UID, 3, Date.now() - 2_000, secret))).rejects.toThrow(/run out/);
    await expect(attest(mintMachineToken(UID, 3, Date.now() + 60_000, randomBytes(32)))).rejects.toThrow(
      /not made by/,
    );
    await expect(
      attest(mintMachineToken(UID.replace('0b', '0c'), 3, Date.now() + 60_000, secret)),
    ).rejects.toThrow(/is gone/);
    for (let at = 5; at < good.length - 1; at += 1) {
      if (good[at] === '.') continue;
      const other = good[at] === 'A' ? 'B' : 'A';
      // The last character of each part has bits that mean nothing.
      if (at === good.indexOf('.', 5) - 1) continue;
      await expect(attest(good.slice(0, at) + other + good.slice(at + 1)), `${at}`).rejects.toThrow();
    }
    expect(good.length).toBeLessThan(256);
  });

  it('is not logged', () => {
    const lines: string[] = [];
    const token = mintMachineToken(UID, 3, Date.now(), secret);
    createLog((line) => lines.push(line)).warn(`refused ${token}`, { reason: `token ${token}\nnext line` });
    expect(lines.join('')).not.toContain(token.split('.')[2]);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
  });
});
