import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { MachineTokenAttestor, mintMachineToken, NEVER, readMachineToken } from './machine-token.ts';

const UID = '0b8f1c1e-2f4b-4d0e-9a51-1c4f1a2b3c4d';
const MACHINE = { uid: UID, namespace: 'ns', name: 'w1' };
const secret = randomBytes(32);
const attestor = new MachineTokenAttestor(() => [secret], {
  byUid: (uid) => (uid === UID ? { namespace: 'ns' } : undefined),
});
const attest = (token: string) =>
  attestor.attest({ token, machine: { instance: 'i', hostname: 'h' }, csr: '', channel: Buffer.alloc(0) });

describe("a Machine's token", () => {
  it('proves the Machine that it was made for', async () => {
    expect(await attest(mintMachineToken(MACHINE, 3, Date.now() + 60_000, secret))).toEqual({
      method: 'machine-token',
      namespace: 'ns',
      machineUid: UID,
      epoch: 3,
    });
    expect(await attest('slwt.another-kind-of-token')).toBeUndefined();
  });

  it('proves nothing when it has run out, was made by another, for a Machine that is gone, or was changed anywhere', async () => {
    const good = mintMachineToken(MACHINE, 3, Date.now() + 60_000, secret);
    await expect(attest(mintMachineToken(MACHINE, 3, Date.now() - 2_000, secret))).rejects.toThrow(/run out/);
    await expect(attest(mintMachineToken(MACHINE, 3, Date.now() + 60_000, randomBytes(32)))).rejects.toThrow(
      /not made by/,
    );
    await expect(
      attest(mintMachineToken({ ...MACHINE, uid: UID.replace('0b', '0c') }, 3, Date.now() + 60_000, secret)),
    ).rejects.toThrow(/is gone/);
    for (let at = 5; at < good.length - 1; at += 1) {
      if (good[at] === '.') continue;
      const other = good[at] === 'A' ? 'B' : 'A';
      // The last character of each part has bits that mean nothing.
      if (at === good.indexOf('.', 5) - 1) continue;
      await expect(attest(good.slice(0, at) + other + good.slice(at + 1)), `${at}`).rejects.toThrow();
    }
  });

  it('still proves it in the forms of earlier versions', async () => {
    const payload = Buffer.from(UID.replaceAll('-', ''), 'hex');
    const end = Buffer.alloc(4);
    end.writeUInt32BE(Math.floor(Date.now() / 1000) + 60);
    const forms = [Buffer.concat([payload, end]), Buffer.concat([payload, end, Buffer.from([0, 7])])];
    const made = forms.map((form, at) => {
      const mac = createHmac('sha256', secret)
        .update(`slipway machine token v${at + 1}\0`)
        .update(form)
        .digest();
      return `slwm.${form.toString('base64url')}.${mac.toString('base64url')}`;
    });
    expect((await Promise.all(made.map(attest))).map((claim) => claim?.epoch)).toEqual([0, 7]);
    expect((await Promise.all(made.map(attest))).map((claim) => claim?.lateProof)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('names its Machine and the authorities of the cluster, and no more of them than it holds', () => {
    const authorities = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64));
    const token = mintMachineToken({ ...MACHINE, authorities }, 0, NEVER, secret);
    const said = readMachineToken(token, [randomBytes(32), secret]);
    expect(said).toMatchObject({
      uid: UID,
      expiresAt: NEVER,
      epoch: 0,
      authorities: authorities.slice(0, 3),
    });
    expect([said?.isFor('ns', 'w1'), said?.isFor('ns', 'w2'), said?.isFor('n', 's/w1')]).toEqual([
      true,
      false,
      false,
    ]);
    // The protocol takes a token of 256 characters.
    expect(token.length).toBeLessThanOrEqual(256);
  });

  it('is told why it does not count any more, for it is genuine', async () => {
    await expect(attest(mintMachineToken(MACHINE, 3, Date.now() - 2_000, secret))).rejects.toMatchObject({
      ...{ isProved: true, words: expect.stringMatching(/has expired/) },
      claim: { machineUid: UID },
    });
    await expect(attest(mintMachineToken(MACHINE, 3, NEVER, randomBytes(32)))).rejects.toMatchObject({
      isProved: false,
    });
  });

  it('is not logged', () => {
    const lines: string[] = [];
    const token = mintMachineToken(MACHINE, 3, Date.now(), secret);
    createLog((line) => lines.push(line)).warn(`refused ${token}`, { reason: `token ${token}\nnext line` });
    expect(lines.join('')).not.toContain(token.split('.')[2]);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
  });
});
