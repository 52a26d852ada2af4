import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { nodeBinary } from '../../project.ts';
import { leanNode, placesIn } from './lean-node.ts';
import { stripped } from './strip.ts';

/** Keys of both kinds that V8 has hashes for, a thread of its own with its locks, and where the hashes begin. */
const WORK = `
const { internalBinding } = require('internal/test/binding');
const { Worker } = require('worker_threads');
const keys = Array.from({ length: 50_000 }, (_, at) => 'key-' + at);
const numbers = Array.from({ length: 50_000 }, (_, at) => String(at * 4096));
const seen = new Set([...keys, ...numbers]);
new Worker('require("worker_threads").parentPort.postMessage(new Set("abca").size)', { eval: true }).on('message', (size) => {
  console.log(seen.size, keys.every((key) => seen.has(key)), size, internalBinding('v8').getHashSeed());
});`;

it('changes three places, and leaves V8 its chance', () => {
  const whole = readFileSync(nodeBinary());
  const made = leanNode(whole);
  const restored = Buffer.from(made);
  for (const { offset, size } of Object.values(placesIn(whole))) {
    expect(made.subarray(offset, offset + size).equals(whole.subarray(offset, offset + size))).toBe(false);
    whole.copy(restored, offset, offset, offset + size);
  }
  expect(restored.equals(whole)).toBe(true);

  const node = join(scratch(), 'node');
  writeFileSync(node, made, { mode: 0o755 });
  const said = [1, 2, 3].map(() => execaSync(node, ['--expose-internals', '-e', WORK]).stdout);
  expect(new Set(said).size).toBe(3);
  for (const one of said) expect(one).toMatch(/^100000 true 3 \d+n?$/);
});

it('refuses a Node.js that is another one in these places', () => {
  const whole = readFileSync(nodeBinary());
  expect(() => leanNode(stripped(whole))).toThrow('no symbols');
  expect(() => leanNode(leanNode(whole))).toThrow('not what it was');
  const other = Buffer.from(whole);
  other.write('x', other.indexOf('_ZN6detailL4sprpEyy'));
  expect(() => leanNode(other)).toThrow('0 times');
});
