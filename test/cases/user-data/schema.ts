import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocument } from '../../../src/agent/userdata/fixtures/read-document.ts';
import { withScratchRoot } from '../../lab/lab.ts';

const FEWEST = 10_000;

/**
 * What Cluster API's kubeadm provider writes by itself, though the schema has it otherwise: keys without a value, and the fields of mounts
 * without quotes. cloud-init takes it, and nobody can mend it in a KubeadmConfig.
 */
const BY_CLUSTER_API =
  /: (?:disk_setup|fs_setup|ntp\.pools|ntp\.servers): None is not of type|: mounts\.\d+\.\d+: \d+ is not of type 'string'$/;

/** Values of every kind in every place of cloud-init's schema: what that calls wrong, Slipway accepts nowhere in silence. */
export async function schema(lower: string[], say: (line: string) => void): Promise<void> {
  const wrong = await wrongBySchema(lower, 'cloud-config-v1', FEWEST);
  const instance = { source: 'nocloud', metaData: { 'instance-id': 'i-1' } };
  const silent = wrong.filter(
    ([text, verdict]) =>
      !BY_CLUSTER_API.test(verdict) && readDocument(Buffer.from(text), instance).report.length === 0,
  );
  assert.deepEqual(silent, []);
  say(`${wrong.length} documents that cloud-init's schema calls wrong: none is accepted in silence`);
}

/** Documents that one of cloud-init's schemas refuses, and what it says of each. */
export async function wrongBySchema(
  lower: string[],
  name: 'cloud-config-v1' | 'network-config-v1' | 'network-config-v2',
  fewest: number,
): Promise<[text: string, verdict: string][]> {
  const verdicts = await withScratchRoot(lower, async (root) => {
    const done = await root.run('printf %s "$PROGRAM" >/opt/schema.py\nexec python3 /opt/schema.py "$NAME"', {
      env: { PROGRAM: readFileSync(join(import.meta.dirname, 'schema.py'), 'utf8'), NAME: name },
      timeoutMs: 900_000,
    });
    assert.equal(done.code, 0, done.stderr);
    return Object.entries(JSON.parse(done.stdout) as Record<string, string>);
  });
  const wrong = verdicts.filter(([, verdict]) => verdict !== 'ok');
  assert.ok(wrong.length >= fewest, `only ${wrong.length} of ${verdicts.length} are wrong`);
  return wrong;
}
