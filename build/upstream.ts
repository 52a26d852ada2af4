import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lockedPackage } from './binary/npm-package.ts';
import { BUILDER, NODE_SHA256, nodePackage } from './platforms.ts';
import { compareUpstream } from './release/upstream.ts';

// npm run upstream -- KEYRING [--from URL]: holds the Node.js that goes into the binaries against that of nodejs.org, whose
// signature is checked by gpgv with the keys of those who release it (gpg/pubring.kbx of github.com/nodejs/release-keys).
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string', default: 'https://nodejs.org/dist' } },
  });
  const [keyring] = positionals;
  if (keyring === undefined) throw new Error('give the file with the keys of those who release Node.js');
  const version = `v${lockedPackage(nodePackage(BUILDER)).version}`;
  const options = { from: values.from, version, keyring: resolve(keyring), ours: NODE_SHA256 };
  await compareUpstream(options, console.log);
} catch (error) {
  console.error(`upstream: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
