import { expect, it } from 'vitest';
import { partDigest } from '../../tpm/sealing/sealed-part.ts';
import { stubProblems } from './stub-problems.ts';

const PART = Buffer.from('sealed');
const STUB = {
  machine: 'a',
  expires: '2026-11-22T12:00:00Z',
  digest: partDigest(PART),
  part: `data:;base64,${PART.toString('base64')}`,
  key: 'controller',
} as const;

it.each([
  ['in order', STUB, '2026-11-22T11:59:59Z', []],
  ['expired', STUB, '2026-11-22T12:00:00Z', ['SealedDataExpired']],
  ['cut off', { ...STUB, part: STUB.part.slice(0, -4) }, '2026-11-22T11:00:00Z', ['SealedDataMismatch']],
  ['elsewhere', { ...STUB, part: 'https://a.example/part' }, '2026-11-22T11:00:00Z', []],
])('a stub that is %s', (_, stub, now, codes) => {
  expect(stubProblems(stub, new Date(now)).map(({ code }) => code)).toEqual(codes);
});
