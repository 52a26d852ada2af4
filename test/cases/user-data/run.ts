import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  JINJA_METADATA,
  jinjaExamples,
  yamlExamples,
} from '../../../src/agent/userdata/fixtures/read-json.ts';
import { cloudInitRoot, withScratchRoot } from '../../lab/lab.ts';
import { DOCUMENTS } from './documents.ts';
import { labelledVolume } from './volume.ts';

export const about = 'YAML, jinja and files come out as with real PyYAML, Jinja2 and cloud-init';

type Say = (line: string) => void;

export async function run(say: Say): Promise<void> {
  const lower = await cloudInitRoot(say);
  await recordedAnswers(lower, say);
  for (const [name, userData] of Object.entries(DOCUMENTS)) {
    const expected = await filesByCloudInit(lower, userData);
    assert.match(expected, /\/data\//, `${name}: cloud-init wrote nothing`);
    assert.equal(await filesBySlipway(lower, userData), expected, name);
    say(`${name}: the same ${expected.split('\n').length - 1} lines of paths, modes, owners and digests`);
  }
  say(await labelledVolume(lower));
}

interface Answers {
  yaml: { value?: unknown; refused?: true }[];
  jinja: { rendered?: string; refused?: true }[];
}

/** The answers in the fixtures, which the unit tests compare with, are those of the real programs. */
async function recordedAnswers(lower: string[], say: Say): Promise<void> {
  const yaml = yamlExamples();
  // Before 24.1 cloud-init rendered without jinja's sandbox, and showed Python's insides.
  const jinja = jinjaExamples().filter(({ text }) => !text.includes('__'));
  const name = {
    local_hostname: 'node-1',
    'local-hostname': 'node-1',
    instance_id: 'i-1',
    'instance-id': 'i-1',
  };
  const v1 = {
    ...name,
    availability_zone: null,
    cloud_id: 'nocloud',
    platform: 'nocloud',
    public_ssh_keys: [],
    region: null,
  };
  const job = {
    yaml: yaml.map(({ text }) => text),
    jinja: jinja.map(({ text }) => text),
    data: { ds: { meta_data: JINJA_METADATA }, v1 },
  };
  const answers = await withScratchRoot(lower, async (root) => {
    const program = readFileSync(join(import.meta.dirname, 'oracle.py'), 'utf8');
    const script = 'printf %s "$PROGRAM" >/tmp/oracle.py\npython3 /tmp/oracle.py';
    const done = await root.run(script, {
      input: JSON.stringify(job),
      env: { PROGRAM: program },
      timeoutMs: 60_000,
    });
    assert.equal(done.code, 0, done.stderr);
    return JSON.parse(done.stdout) as Answers;
  });
  yaml.forEach(({ text, ...recorded }, index) => {
    assert.deepEqual(answers.yaml[index], recorded, `PyYAML: ${JSON.stringify(text)}`);
  });
  jinja.forEach(({ text, leftOut: _, ...recorded }, index) => {
    assert.deepEqual(answers.jinja[index], recorded, `Jinja2: ${JSON.stringify(text)}`);
  });
  say(`${yaml.length} YAML texts and ${jinja.length} templates: recorded answers are those of the real ones`);
}

/** Everything below /data: path, kind, mode, owner, size, and the content's digest. */
const LISTING = `
cd /data && find . -printf '/data/%P %y %m %u:%g %s ' \\( -type f -exec sha256sum {} \\; -o -printf '\\n' \\) | sed 's/ [.].*//' | sort`;

const META_DATA = 'instance-id: i-1\nlocal-hostname: node-1\n';

/** The same seed for both: NoCloud in a directory of the image. */
const SEED = `
seed=/var/lib/cloud/seed/nocloud
mkdir -p $seed
cat >$seed/user-data
printf '%s' "$META_DATA" >$seed/meta-data`;

const CLOUD_INIT = `
cloud-init init --local >/dev/null 2>&1
cloud-init init >/dev/null 2>&1
cloud-init single --name write-files-deferred --frequency always >/dev/null 2>&1`;

const CHECKOUT = join(import.meta.dirname, '../../..');

const SLIPWAY = `
/checkout/node_modules/.bin/node /checkout/src/slipway.ts bootstrap >&2`;

const filesByCloudInit = (lower: string[], userData: string | Buffer) => filesBy(CLOUD_INIT, lower, userData);
const filesBySlipway = (lower: string[], userData: string | Buffer) => filesBy(SLIPWAY, lower, userData);

function filesBy(program: string, lower: string[], userData: string | Buffer): Promise<string> {
  return withScratchRoot(lower, async (root) => {
    const done = await root.run(SEED + program + LISTING, {
      input: userData,
      env: { META_DATA },
      binds: [{ from: CHECKOUT, to: '/checkout', readOnly: true }],
      timeoutMs: 120_000,
    });
    assert.equal(done.code, 0, `${program}\n${done.stderr}`);
    return done.stdout;
  });
}
