import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { nodeBinary } from '../../project.ts';
import { functionIn, withFirstSecrets } from './hash-secrets.ts';
import { stripped } from './strip.ts';

const SEED = `
const { internalBinding } = require('internal/test/binding');
const keys = Array.from({ length: 50_000 }, (_, at) => 'key-' + at);
const numbers = Array.from({ length: 50_000 }, (_, at) => String(at * 4096));
const seen = new Set([...keys, ...numbers]);
console.log(seen.size, keys.every((key) => seen.has(key)), internalBinding('v8').getHashSeed());`;

it('changes one function, and leaves V8 its chance', () => {
  const whole = readFileSync(nodeBinary());
  const made = withFirstSecrets(whole);
  const { offset, size } = functionIn(whole);
  expect(made.subarray(0, offset).equals(whole.subarray(0, offset))).toBe(true);
  expect(made.subarray(offset + size).equals(whole.subarray(offset + size))).toBe(true);
  expect(made.equals(whole)).toBe(false);

  const node = join(scratch(), 'node');
  writeFileSync(node, made, { mode: 0o755 });
  const seeds = [1, 2, 3].map(() => execaSync(node, ['--expose-internals', '-e', SEED]).stdout);
  expect(new Set(seeds).size).toBe(3);
  for (const said of seeds) expect(said).toMatch(/^100000 true \d+n?$/);
});

it('refuses a Node.js whose function it does not find', () => {
  const whole = readFileSync(nodeBinary());
  expect(() => withFirstSecrets(stripped(whole))).toThrow('no symbols');
  const { offset } = functionIn(whole);
  expect(offset).toBeGreaterThan(0);
  const other = Buffer.from(whole);
  other.write('x', other.indexOf('_ZN6detailL4sprpEyy'));
  expect(() => withFirstSecrets(other)).toThrow('0 times');
});
