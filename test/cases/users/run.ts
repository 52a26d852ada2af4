import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { cloudInitRoot, withScratchRoot } from '../../lab/lab.ts';
import { applySteps } from '../../support/step-root.ts';

export const about = 'accounts, time servers and mounts come out as with real cloud-init';

const read = (...path: string[]): string => readFileSync(join(import.meta.dirname, ...path), 'utf8');
const SNAPSHOT = `{\n${read('snapshot.sh')}} 2>/dev/null\n`;

/** User data for both cloud-init and Slipway, with what is on the machine before. */
interface Example {
  about: string;
  before: string;
  userData: string;
  findings: string[];
}

function examples(): Example[] {
  const folders = readdirSync(import.meta.dirname).filter((name) =>
    existsSync(join(import.meta.dirname, name, 'example.yaml')),
  );
  return folders.map((name) => ({
    ...(load(read(name, 'example.yaml')) as Pick<Example, 'about' | 'findings'>),
    before: existsSync(join(import.meta.dirname, name, 'before.sh')) ? read(name, 'before.sh') : ':',
    userData: read(name, 'user-data'),
  }));
}

export async function run(say: (line: string) => void): Promise<void> {
  const lower = await cloudInitRoot(say);
  const found = examples();
  assert.equal(found.length, 4);
  for (const example of found) {
    const expected = await byCloudInit(lower, example);
    for (const below of [false, true]) await bySlipway(lower, example, expected, below);
    say(`${example.about}: the same`);
  }
}

function byCloudInit(lower: string[], { before, userData }: Example): Promise<string> {
  return withScratchRoot(lower, async (root) => {
    const done = await root.run(`${before}\n${read('cloud-init.sh')}\n${SNAPSHOT}`, {
      input: userData,
      timeoutMs: 600_000,
    });
    assert.equal(done.code, 0, `cloud-init's side failed: ${done.stderr}`);
    return done.stdout;
  });
}

function bySlipway(lower: string[], example: Example, expected: string, below: boolean): Promise<void> {
  return withScratchRoot(lower, async (root) => {
    const { before, userData, about: name } = example;
    const where = `${name}, ${below ? 'below a root' : 'on the machine'}`;
    const first = await applySteps(root, userData, { before, after: SNAPSHOT, below });
    for (const [id, { result }] of Object.entries(first.steps)) {
      assert.ok(result.done, `${where}: step ${id}: ${JSON.stringify(result)}`);
    }
    const findings = Object.values(first.steps).flatMap((step) => step.findings.map(({ code }) => code));
    const noDevice =
      userData.includes('mounts:') && !below ? ['MountDeviceMissing', 'MountDeviceMissing'] : [];
    assert.deepEqual(findings, [...example.findings, ...noDevice], where);
    const adapted = below ? notMounted(expected) : expected;
    assert.equal(first.after, adapted, where);
    const again = { after: SNAPSHOT, below, interrupted: true };
    const second = await applySteps(root, withoutMembers(userData), again);
    assert.equal(second.after, adapted, `${where}: applied twice`);
  });
}

/** Below a root nothing is mounted: the mount points are there, and are plain directories. */
function notMounted(snapshot: string): string {
  return snapshot
    .replace(/(== mounted\n)1\n/, '$10\n')
    .replace('drwxrwxrwt root:root /mnt/fast', 'drwxr-xr-x root:root /mnt/fast');
}

/** Of groups that are created before their members exist; a second run, as a second run of cloud-init, would add them. */
function withoutMembers(userData: string): string {
  return userData.replace('early: [capi]', 'early: []');
}
