import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stripBinary } from '../binary/base/strip.ts';
import { pack } from '../binary/pack.ts';
import { NODE_SHA256 } from '../platforms.ts';
import { nodeBinary } from '../project.ts';
import { nodeComponents } from './node-components.ts';

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('nodeComponents', () => {
  let folder: string;
  let program: string;
  let node: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-sbom-'));
    const main = join(folder, 'main.cjs');
    [node, program] = [join(folder, 'node'), join(folder, 'program')];
    writeFileSync(main, '1');
    stripBinary(nodeBinary(), node);
    pack({ main, node, output: program });
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

  it("names upstream's executable by its sum, and what was made of it", () => {
    const [component, ...libraries] = nodeComponents('linux-x64', program);
    expect(component).toMatchObject({
      name: 'node',
      hashes: [{ alg: 'SHA-256', content: sha256(node) }],
      pedigree: {
        ancestors: [{ name: 'node', hashes: [{ alg: 'SHA-256', content: sha256(nodeBinary()) }] }],
        notes: expect.stringMatching(/^Stripped: .* by postject 1\.0\.0/),
      },
    });
    expect(NODE_SHA256['linux-x64']).toBe(sha256(nodeBinary()));
    expect(libraries.map(({ name }) => name)).toEqual(expect.arrayContaining(['v8', 'openssl', 'uv']));
  });

  it('says nothing of a program that holds another Node.js', () => {
    const changed = readFileSync(program);
    const code = changed.indexOf(readFileSync(nodeBinary()).subarray(0x34a000, 0x34a000 + 64));
    changed.writeUInt8(changed.readUInt8(code) ^ 1, code);
    const other = join(folder, 'other');
    writeFileSync(other, changed);
    expect(() => nodeComponents('linux-x64', other)).toThrow('.text has other bytes');
  });
});
