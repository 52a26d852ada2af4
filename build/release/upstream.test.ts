import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endGpg } from '../../test/support/tmp/gpg-home.ts';
import { compareUpstream } from './upstream.ts';

const GPG = ['gpg', 'gpgv', 'xz'].every(
  (name) => execaSync('sh', ['-c', `command -v ${name}`], { reject: false }).exitCode === 0,
);

/** A folder as nodejs.org has it, signed by real gpg. */
describe.runIf(GPG)("upstream's Node.js", () => {
  const version = 'v1.2.3';
  let folder: string;
  let server: Server;
  let from: string;
  let archive: Buffer;
  const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
  const gpg = (...words: string[]) =>
    execaSync('gpg', ['--homedir', join(folder, 'gpg'), '--batch', '--quiet', '--yes', ...words]);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-upstream-test-'));
    mkdirSync(join(folder, 'gpg'), { mode: 0o700 });
    gpg('--passphrase', '', '--quick-generate-key', 'a releaser', 'ed25519', 'sign', 'never');
    gpg('--output', join(folder, 'keyring'), '--export');
    const name = `node-${version}-linux-x64`;
    mkdirSync(join(folder, name, 'bin'), { recursive: true });
    writeFileSync(join(folder, name, 'bin/node'), 'the program');
    execaSync('tar', ['-cJf', join(folder, `${name}.tar.xz`), '-C', folder, name]);
    archive = readFileSync(join(folder, `${name}.tar.xz`));
    server = createServer((request, response) => {
      const path = request.url?.replace(`/${version}/`, '') ?? '';
      if (path.endsWith('.tar.xz')) response.end(archive);
      else response.end(readFileSync(join(folder, path)));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await endGpg(folder, 'gpg');
  });
  beforeEach(() => {
    archive = readFileSync(join(folder, `node-${version}-linux-x64.tar.xz`));
    signSums();
  });

  const signSums = () => {
    const sums = join(folder, 'SHASUMS256.txt');
    const lines = [
      [sha256(archive), `node-${version}-linux-x64.tar.xz`],
      [sha256('exe'), 'win-x64/node.exe'],
    ];
    writeFileSync(sums, lines.map((line) => `${line.join('  ')}\n`).join(''));
    gpg('--clearsign', '--output', `${sums}.asc`, sums);
  };
  const compare = async (program = 'the program', exe = 'exe') => {
    const said: string[] = [];
    const ours = { 'linux-x64': sha256(program), 'windows-x64': sha256(exe) };
    await compareUpstream({ from, version, keyring: join(folder, 'keyring'), ours }, (line) =>
      said.push(line),
    );
    return said;
  };

  it('is what lies in our packages: the archive by its signed sum, the program in it', async () => {
    expect(await compare()).toEqual([
      `${sha256('the program')}  linux-x64: upstream's, by its signed sums`,
      `${sha256('exe')}  windows-x64: upstream's, by its signed sums`,
    ]);
    await expect(compare('another')).rejects.toThrow(/^linux-x64: ours is \w+, upstream's/);
    await expect(compare('the program', 'another')).rejects.toThrow(/^windows-x64: ours is/);
  });

  it('is not what somebody has changed: the archive, the sums, what stands around the signed text', async () => {
    archive = Buffer.concat([archive, Buffer.from('x')]);
    await expect(compare()).rejects.toThrow(/tar\.xz is \w+, not \w+, which was signed/);
    archive = readFileSync(join(folder, `node-${version}-linux-x64.tar.xz`));
    const path = join(folder, 'SHASUMS256.txt.asc');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('node.exe', 'node.dll'));
    await expect(compare()).rejects.toThrow(/gpgv/);
    writeFileSync(path, `${sha256('evil')}  win-x64/node.exe\n${text}`);
    await expect(compare('the program', 'evil')).rejects.toThrow(/^windows-x64: ours is/);
  });
});
