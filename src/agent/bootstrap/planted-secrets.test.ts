import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../test/support/tiny-root.ts';
import { JOURNAL, OUTCOME } from '../document/paths.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { bootstrap } from './bootstrap.ts';

const word = (form: RegExp) => fc.stringMatching(form);
/** Twelve secrets of the kinds that come with a machine, as nobody has them. */
const SECRETS = fc.record({
  bootstrapToken: word(/^[a-z0-9]{16}$/),
  certificateKey: word(/^[0-9a-f]{64}$/),
  poolToken: word(/^slwt\.[a-z0-9]{10}\.[A-Za-z0-9_-]{32}$/),
  machineToken: word(/^slwm\.[A-Za-z0-9_-]{27}\.[A-Za-z0-9_-]{43}$/),
  github: word(/^ghp_[A-Za-z0-9]{36}$/),
  gitlab: word(/^glpat-[A-Za-z0-9]{20}$/),
  aws: word(/^[A-Za-z0-9/+]{40}$/),
  password: word(/^[A-Za-z0-9]{12}$/),
  proxy: word(/^[A-Za-z0-9]{12}$/),
  registry: word(/^[A-Za-z0-9]{16}$/),
  vault: word(/^[A-Za-z0-9]{24}$/),
  jwt: word(/^eyJ[A-Za-z0-9]{20}\.eyJ[A-Za-z0-9]{20}\.[A-Za-z0-9_-]{24}$/),
});
type Secrets = typeof SECRETS extends fc.Arbitrary<infer T> ? T : never;

/** The secrets, as they are and as programs write them. */
const forms = (secret: string) => [
  secret,
  Buffer.from(secret).toString('base64'),
  encodeURIComponent(secret),
];

function userData(secrets: Secrets): string {
  const { bootstrapToken, certificateKey, aws, password, proxy, registry, vault } = secrets;
  const said = Object.values(secrets)
    .flatMap(forms)
    .map((form) => `- echo "word ${form} word"; echo "${form}" >&2\n`)
    .join('');
  return `#cloud-config
write_files:
- {path: /etc/vault, permissions: '0400', owner: "0:0", content: "${vault}\\n"}
- path: /run/kubeadm.yaml
  owner: "0:0"
  content: |
    kind: JoinConfiguration
    certificateKey: ${certificateKey}
    discovery: {bootstrapToken: {token: abcdef.${bootstrapToken}}}
- {path: /etc/registry, owner: "0:0", content: '{"auths": {"r": {"auth": "${registry}"}}}'}
slipway: {kubeadm: none, proxy: {http: "http://user:${proxy}@proxy:3128"}}
runcmd:
- export AWS_SECRET_ACCESS_KEY=${aws} DB_PASSWORD=${password}
- login --token ${secrets.poolToken} ${secrets.machineToken} token=${secrets.github} ${secrets.gitlab} || true
- "true Authorization: Bearer ${secrets.jwt}"
${said}- echo "at last ${password} ${vault}" >&2; exit 7
`;
}

describe.runIf(process.getuid?.() === 0)('secrets of user data (needs root)', () => {
  let root: TinyRoot;
  beforeEach(() => {
    root = makeTinyRoot();
    mkdirSync(join(root.path, 'etc'), { recursive: true });
  });
  afterEach(() => root.remove());

  it('are nowhere in journal, outcome and what is printed, however programs write them', async () => {
    for (const secrets of fc.sample(SECRETS, 3)) {
      const file = join(root.path, 'user-data');
      writeFileSync(file, userData(secrets), { mode: 0o600 });
      const told: string[] = [];
      const outcome = await bootstrap({
        host: createLinuxHost({ root: root.path }),
        agent: '0',
        userDataFile: file,
        deadlineSeconds: 60,
        stop: new AbortController().signal,
        watcher: {
          record: (record) => told.push(JSON.stringify(record)),
          output: (line) => told.push(line),
        },
        verdict: { fault: new Promise(() => undefined), unwritten: () => undefined },
      });
      expect(outcome.failure?.cause).toMatch(/runcmd|command/i);
      expect(told.join('\n')).toContain('word [redacted] word');
      const everything = [
        ...told,
        JSON.stringify(outcome),
        ...[JOURNAL, OUTCOME].map((path) => readFileSync(join(root.path, path), 'utf8')),
      ].join('\n');
      // Of base64, the ends depend on what stands around.
      for (const [kind, secret] of Object.entries(secrets))
        for (const form of forms(secret))
          expect(everything.includes(form.slice(0, -4)), `${kind}: ${form}`).toBe(false);
    }
  });
});
