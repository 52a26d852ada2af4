import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readTarget, registers } from './read-target.ts';

it('takes lists of registers, each once and in order', () => {
  expect(registers('7,0,4,0')).toEqual([0, 4, 7]);
});

it.each(['', ',', '2,', '0,,4', ' ', '0x1', '1e1', '24', '-1'])('takes %j for no list', (text) => {
  expect(() => registers(text)).toThrow(/is no list of registers/);
});

const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

it.each([
  ['', 'it is no JSON'],
  ['null', 'it is no JSON object'],
  ['{}', 'it has no publicKey'],
  ['{"publicKey": "AAAA"}', 'its publicKey is none that a TPM has'],
  [JSON.stringify({ publicKey, endorsementKey: 'sha256:00' }), 'its endorsementKey is not the digest'],
  [
    '{"code": "TpmMissing", "cause": "there is no TPM"}',
    'could not prove itself: there is no TPM [TpmMissing]',
  ],
])('says what is wrong with a file of --for: %s', (text, why) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-target-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'identity.json');
  writeFileSync(file, text);
  expect(() => readTarget(file, undefined)).toThrow(why);
  expect(() => readTarget(folder, undefined)).toThrow('cannot be read: ');
});
