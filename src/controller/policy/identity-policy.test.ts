import { expect, it } from 'vitest';
import { Authority } from '../../pki/authority.ts';
import { type IdentityPolicy, type NodeIdentityPolicy, readPolicy } from './identity-policy.ts';
import { PolicySet } from './policy-set.ts';
import { type Chains, checkRegisters, checkTrusted, checkValid, refusedMethod } from './rules.ts';

const KEY = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

const chains: Chains = { whyUntrusted: async () => 'it has no certificate of its maker' };

function read(spec: NodeIdentityPolicy['spec'], name = 'p', namespace = 'n') {
  return readPolicy({ metadata: { name, namespace }, spec });
}

it.each<[RegExp, NodeIdentityPolicy['spec']]>([
  [/there is no TPM/, { method: 'token', registers: { pcrs: [0], firstUse: true } }],
  [/there is no TPM/, { method: 'token', fallback: 'token' }],
  [/window 2x is no duration/, { method: 'tpm', window: '2x' }],
  [/no certificate in PEM/, { method: 'tpm', endorsementKeys: { authorities: 'x' } }],
  [
    /is damaged/,
    {
      method: 'tpm',
      endorsementKeys: { authorities: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
    },
  ],
  [/one of values, reference and firstUse/, { method: 'tpm', registers: { pcrs: [0] } }],
  [
    /one of values, reference and firstUse/,
    { method: 'tpm', registers: { pcrs: [0], firstUse: true, reference: 'm' } },
  ],
  [/nothing of PCR 4/, { method: 'tpm', registers: { pcrs: [0, 4], values: [{ pcr: 0, anyOf: ['00'] }] } }],
  [
    /names a Machine or a key twice/,
    {
      method: 'tpm',
      endorsementKeys: {
        ofMachines: [
          { machine: 'a', key: KEY },
          { machine: 'b', key: KEY },
        ],
      },
    },
  ],
])('lets nobody in where it reads %s', (why, spec) => {
  const policy = read(spec);
  expect(policy.invalid).toMatch(why);
  expect(() => checkValid([policy])).toThrow(why);
});

it('takes the strictest of several policies', () => {
  const [lax, strict, token] = [
    read({ method: 'tpm', fallback: 'token' }),
    read({ method: 'tpm' }, 'strict'),
    read({ method: 'token' }),
  ];
  expect(refusedMethod([lax, token], 'token')).toBeUndefined();
  expect(refusedMethod([lax, strict], 'token')).toMatch(/by its TPM, as policy strict demands/);
  for (const one of [lax, strict, token])
    expect(refusedMethod([one], 'claim')).toMatch(/a claim is not enough/);
  expect(refusedMethod([lax, strict, token], 'tpm')).toBeUndefined();
  expect(refusedMethod([], 'claim')).toBeUndefined();
});

it('trusts listed keys, an empty list nobody, and without a list whatever key is named', async () => {
  const check = (policy: IdentityPolicy, key: string) =>
    checkTrusted([policy], { key, certificates: undefined, address: '' }, chains);
  const listed = read({ method: 'tpm', endorsementKeys: { trusted: [KEY] } });
  await check(listed, KEY);
  await expect(check(listed, OTHER)).rejects.toThrow(/not in the list/);
  const none = read({ method: 'tpm', endorsementKeys: { trusted: [] } });
  await expect(check(none, KEY)).rejects.toThrow(/not in the list/);
  await check(read({ method: 'tpm' }), OTHER);
});

it("asks for a maker's certificate where authorities are named, of a key that is not listed", async () => {
  const { certificate } = Authority.create('maker');
  const policy = read({ method: 'tpm', endorsementKeys: { authorities: certificate, trusted: [KEY] } });
  const check = (key: string) =>
    checkTrusted([policy], { key, certificates: undefined, address: '' }, chains);
  await check(KEY);
  await expect(check(OTHER)).rejects.toThrow(/does not trust the TPM .* no certificate of its maker/);
});

it('names each register that differs, and what is measured into it', () => {
  const check = (shown: Record<string, string>) =>
    checkRegisters('p', [0, 4, 7], { shown }, () => ['00'.repeat(32), '11'.repeat(32)]);
  check({ 0: '00'.repeat(32), 4: '11'.repeat(32), 7: '00'.repeat(32) });
  expect(() => check({ 0: '00'.repeat(32), 4: '22'.repeat(32) })).toThrow(
    'PCR 4 (boot loader) is 2222222222222222…; PCR 7 (secure boot) is absent…',
  );
});

it('selects Machines of its own namespace', () => {
  const book = new PolicySet();
  const machine = { namespace: 'n', name: 'm', cluster: 'c', role: 'worker' as const, owners: [] };
  book.put(read({ method: 'tpm', selector: { cluster: 'c' } }, 'one'));
  book.put(read({ method: 'tpm', selector: { role: 'control-plane' } }, 'two'));
  book.put(read({ method: 'tpm' }, 'three', 'elsewhere'));
  expect(book.of(machine).map(({ name }) => name)).toEqual(['one']);
  book.remove('n/one');
  expect(book.of(machine)).toEqual([]);
});
