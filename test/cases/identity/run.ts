import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootWith, withScratchRoot } from '../../lab/lab.ts';
import { DIST } from '../../support/machines.ts';
import { enrolment } from './enrol.ts';
import { sealedJoin } from './sealed-join.ts';

export const about = 'a machine proves itself by its TPM, as swtpm and tpm2-tools see it too';

const CHECKOUT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

export async function run(say: (line: string) => void): Promise<void> {
  const lower = await rootWith('tpm-tools', ['swtpm', 'swtpm-tools', 'tpm2-tools'], say);
  const play = (script: string, env: Record<string, string> = {}): Promise<void> =>
    withScratchRoot(lower, async (root) => {
      const lines = [read('../expect.sh'), read('tpm.sh'), read(script)].join('\n');
      const { code, stdout, stderr } = await root.run('exec bash -euo pipefail', {
        input: lines,
        env: { ...env, PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
        binds: [
          { from: CHECKOUT, to: '/checkout', readOnly: true },
          { from: dirname(process.execPath), to: '/opt/node-bin', readOnly: true },
          { from: dirname(DIST), to: '/opt/dist', readOnly: true },
        ],
        timeoutMs: 600_000,
      });
      assert.equal(code, 0, `${script}:\n${stdout}\n${stderr}`);
    });
  await play('rsa.sh');
  say('RSA: the key, the certificate and the registers are those that tpm2-tools read');
  await play('ec.sh');
  say('EC: the certified P-256 key is preferred');
  await play('refused.sh');
  say('absent, mismatched, with a password, locked out, no TPM: each has its own code');
  for (const KIND of ['rsa', 'ecc']) await play('interop.sh', { KIND });
  say(
    'quotes and credentials both ways with tpm2-tools, RSA and EC; sealed secrets; a changed answer is noticed',
  );
  await play('sealed.sh');
  say('sealed files open on their machine, at their path and in their boot state, whatever the format');
  await enrolment(lower, say);
  await sealedJoin(lower[0] ?? '', say);
}
