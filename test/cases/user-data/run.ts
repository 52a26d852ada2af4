import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  JINJA_METADATA,
  jinjaExamples,
  yamlExamples,
} from '../../../src/agent/userdata/fixtures/read-json.ts';
import { cloudInitRoot, withScratchRoot } from '../../lab/lab.ts';
import { differential } from './differential.ts';
import { labelledVolume } from './volume.ts';

export const about = 'YAML, jinja and files come out as with real PyYAML, Jinja2 and cloud-init';

type Say = (line: string) => void;

const CHECKOUT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

export async function run(say: Say): Promise<void> {
  const lower = await cloudInitRoot(say);
  await recordedAnswers(lower, say);
  for (const [name, userData] of Object.entries(documents())) {
    const expected = await filesBy('cloud-init', lower, userData);
    assert.match(expected, /\/data\//, `${name}: cloud-init wrote nothing`);
    assert.equal(await filesBy('slipway', lower, userData), expected, name);
    say(`${name}: the same ${expected.split('\n').length - 1} lines of paths, modes, owners and digests`);
  }
  const links = read('documents/links.user-data');
  const before = read('links.sh');
  assert.equal(
    await filesBy('slipway', lower, links, before),
    await filesBy('cloud-init', lower, links, before),
    'files through links',
  );
  say('files through links: the same targets, modes and contents');
  say(await wipedCopies(lower));
  say(await labelledVolume(lower));
  await differential(say);
}

/** The secrets leave what cloud-init keeps, and it takes the machine for the same one at the next boot. */
async function wipedCopies(lower: string[]): Promise<string> {
  const [token, key] = ['fedcba9876543210', 'c0ffee0123456789'.repeat(4)];
  const encoded = Buffer.from(`certificateKey: ${key}\n`).toString('base64');
  const userData = `#cloud-config
bootcmd: [[cloud-init-per, always, count, sh, -c, 'echo boot >>/booted']]
write_files:
- {path: /data/token, content: "token: abcdef.${token}\\n"}
- {path: /data/key, encoding: b64, content: ${encoded}}
- {path: /data/ü, content: ü}
runcmd: [echo kubeadm join --token abcdef.${token}]
`;
  for (const given of [userData, gzipSync(userData)]) {
    const script = [read('seed.sh'), read('cloud-init.sh'), read('wiped.sh')].join('\n');
    const done = await withScratchRoot(lower, (root) =>
      root.run(script, {
        input: given,
        binds: [{ from: CHECKOUT, to: '/checkout', readOnly: true }],
        env: { SECRETS: `${token}|${key}|${encoded.slice(24, 60)}` },
        timeoutMs: 600_000,
      }),
    );
    assert.equal(done.stdout, 'i-1\ninstances: i-1, again: \nboot\nboot\n', done.stderr);
  }
  return 'wiped copies: no secret is left, and cloud-init finds the same instance and does nothing again';
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
    const program = read('oracle.py');
    const script = 'printf %s "$PROGRAM" >/tmp/oracle.py\npython3 /tmp/oracle.py';
    const done = await root.run(script, {
      input: JSON.stringify(job),
      env: { PROGRAM: program },
      timeoutMs: 600_000,
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

/** User data whose files both must write alike, all below /data; the plain one in other wrappings too. */
function documents(): Record<string, string | Buffer> {
  const [plain, template, multipart] = ['plain', 'template', 'multipart'].map((name) =>
    read(`documents/${name}.user-data`),
  ) as [string, string, string];
  return {
    plain,
    'with CRLF': plain.replaceAll('\n', '\r\n'),
    compressed: gzipSync(plain),
    template,
    multipart,
  };
}

/** What is below /data after cloud-init or Slipway has run on a machine with this user data. */
function filesBy(
  program: 'cloud-init' | 'slipway',
  lower: string[],
  userData: string | Buffer,
  before = '',
): Promise<string> {
  return withScratchRoot(lower, async (root) => {
    const script = [read('seed.sh'), before, read(`${program}.sh`), read('listing.sh')].join('\n');
    const done = await root.run(script, {
      input: userData,
      binds: [{ from: CHECKOUT, to: '/checkout', readOnly: true }],
      timeoutMs: 600_000,
    });
    assert.equal(done.code, 0, `${program}\n${done.stderr}`);
    return done.stdout;
  });
}
