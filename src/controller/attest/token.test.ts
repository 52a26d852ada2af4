import { expect, it } from 'vitest';
import { makeToken, TokenAttestor, type TokenRecord } from './token.ts';

const HOUR = 3_600_000;

function attest(record: TokenRecord, token: string): Promise<unknown> {
  const attestor = new TokenAttestor({
    find: (id) => (id === record.id ? record : undefined),
    take: async () => true,
    giveBack: () => undefined,
  });
  const machine = { instance: 'i', hostname: 'h' };
  return attestor.attest({ token, machine, csr: '', channel: new Uint8Array() });
}

it('takes the token that was renewed until its own end, and no longer', async () => {
  const before = makeToken({ namespace: 'ns', expiresAt: Date.now() + HOUR });
  const secret = before.token.split('.')[2] ?? '';
  const { hash } = makeToken({ namespace: 'ns', expiresAt: 0 }).record;
  const renewed = (expiresAt: number): TokenRecord => ({
    ...{ ...before.record, hash, expiresAt: Date.now() + 2 * HOUR },
    previous: { hash: before.record.hash, expiresAt },
  });
  expect(await attest(renewed(Date.now() + HOUR), before.token)).toMatchObject({
    ...{ method: 'pool-token', namespace: 'ns', token: before.record.id },
  });
  await expect(attest(renewed(Date.now() - 1), before.token)).rejects.toThrow(/has expired/);
  const wrong = `slwt.${before.record.id}.${secret.replace(/^./, secret.startsWith('A') ? 'B' : 'A')}`;
  await expect(attest(renewed(Date.now() + HOUR), wrong)).rejects.toThrow(/secret part .* is wrong/);
  const { previous: _, ...without } = renewed(0);
  await expect(attest(without, before.token)).rejects.toThrow(/secret part .* is wrong/);
});
