import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootWith, unpackedPackage, withScratchRoot } from '../../lab/lab.ts';
import { DIST } from '../../support/machines.ts';

export const about = 'secrets that user data names come from moto, tang and age, and nothing of them is told';

const CHECKOUT = join(import.meta.dirname, '../../..');
/** moto is in no release of the machines' own; what it is made of is. */
const MOTO = ['antlr4', 'boto3', 'cryptography', 'dateutil', 'flask', 'flask-cors', 'jinja2', 'requests'];
const PACKAGES = [
  ...['age', 'clevis', 'tang', 'socat', 'curl'],
  ...[...MOTO, 'responses', 'werkzeug', 'xmltodict'].map((name) => `python3-${name}`),
];
const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

export async function run(say: (line: string) => void): Promise<void> {
  const lower = await rootWith('secret-stores', PACKAGES, say);
  const moto = await unpackedPackage('python3-moto', say, 'trixie');
  const play = (script: string): Promise<void> =>
    withScratchRoot(lower, async (root) => {
      const lines = [read('../expect.sh'), read('scene.sh'), read(script)].join('\n');
      const { code, stdout, stderr } = await root.run('exec bash -euo pipefail', {
        input: lines,
        env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
        binds: [
          { from: CHECKOUT, to: '/checkout', readOnly: true },
          { from: moto, to: '/moto', readOnly: true },
          { from: dirname(DIST), to: '/opt/dist', readOnly: true },
        ],
        timeoutMs: 600_000,
      });
      assert.equal(code, 0, `${script}:\n${stdout}\n${stderr}`);
    });
  await play('aws.sh');
  say('AWS: Secrets Manager, SSM and KMS by the role of the instance, in every format; deleted in the end');
  await play('objects.sh');
  say('S3: what Ignition names there, signed as moto verifies it, in the region of its bucket');
  await play('google.sh');
  say('Google Cloud Storage: what Ignition names there, by the token of the instance');
  await play('tang.sh');
  say('tang: what clevis encrypted opens, until the server has lost the key or is away');
  await play('age.sh');
  say('age: files of many sizes open, armoured or not, for the right identity only');
}
