import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { redact } from '../../../secrets/redact.ts';
import type { Document } from '../../document/document.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import { type Given, type Got, type World, world } from '../../stores/fixtures/world.ts';
import { writeNative } from '../../userdata/native/write-native.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import type { Shared } from '../kind/shared.ts';
import { plan } from '../plan.ts';

const SETTINGS = '{vault: {address: "https://vault.example", tokenFile: /etc/token}}';
const SECRET = 'planted-secret-1';
/** `printf planted-secret-1 | sha256sum` */
const HASH = 'sha256-1e6b62b97b60ccb48a9da554bec1250350c03375183b8e95556086a53bbb7c2e';

let made: World | undefined;
afterEach(async () => {
  await made?.close();
  made = undefined;
});

async function machine(answer: (got: Got) => Given): Promise<World> {
  made = await world(answer);
  mkdirSync(join(made.root, 'etc'));
  writeFileSync(join(made.root, 'etc/token'), 'hvs.file-token\n');
  return made;
}
const vault = (got: Got): Given =>
  got.method === 'DELETE' ? { status: 204 } : { body: { data: { password: SECRET } } };

const read = (text: string): Promise<Document> =>
  readUserData(Buffer.from(text), { source: 'file', metaData: {} });
const errors = ({ report }: Document) =>
  report.filter(({ severity }) => severity === 'error').map(({ message }) => message);

async function run(
  document: Document,
  { host }: World,
  ids: string[] = [],
): Promise<Record<string, StepResult & { findings: string[] }>> {
  const results: Record<string, StepResult & { findings: string[] }> = {};
  for (const planned of plan(document).filter(({ id }) => ids.length === 0 || ids.includes(id))) {
    const findings: string[] = [];
    const context: Partial<StepContext> = {
      host,
      interrupted: false,
      signal: new AbortController().signal,
      remainingMs: () => 60_000,
      finding: async ({ code, message }) => void findings.push(`${code} ${message}`),
    };
    const step = await planned.load({} as Shared);
    results[planned.id] = { ...(await step.run(context as StepContext)), findings };
  }
  return results;
}

const FORMATS: readonly (readonly [string, string])[] = [
  [
    'cloud-config',
    `#cloud-config\nslipway: {kubeadm: none, secrets: ${SETTINGS}}\nwrite_files:\n- {path: /etc/s, source: {uri: "vault:///kv/s?field=password&delete=true", hash: ${HASH}}}\n- {path: /etc/open, permissions: "0640", source: {uri: "vault:///kv/s?field=password"}}\n`,
  ],
  [
    'Ignition',
    JSON.stringify({
      ignition: { version: '3.4.0' },
      storage: {
        files: [
          {
            path: '/etc/slipway/node.yaml',
            mode: 384,
            contents: { source: `data:,${encodeURIComponent(`secrets: ${SETTINGS}`)}` },
          },
          {
            path: '/etc/s',
            contents: { source: 'vault:///kv/s?field=password&delete=true', verification: { hash: HASH } },
          },
          { path: '/etc/open', mode: 416, contents: { source: 'vault:///kv/s?field=password' } },
        ],
      },
    }),
  ],
  [
    "Slipway's own",
    `apiVersion: slipway.dev/v1alpha1\nkind: UserData\nwithoutKubeadm: true\nnode: {secrets: ${SETTINGS}}\nfiles:\n- {path: /etc/s, from: {url: "vault:///kv/s?field=password&delete=true", hash: ${HASH}}}\n- {path: /etc/open, mode: "0640", from: {url: "vault:///kv/s?field=password"}}\n`,
  ],
];

describe.runIf(process.getuid?.() === 0)('files whose content is a reference (needs root for owners)', () => {
  it.each(FORMATS)('are written for their owner alone, then the source is deleted: %s', async (_, text) => {
    const here = await machine(vault);
    const document = await read(text);
    expect(errors(document)).toEqual([]);
    const results = await run(document, here);
    expect(results['secrets/deleted']).toMatchObject({
      done: true,
      message: '1 secret of 1 deleted',
      findings: [],
    });
    expect(readFileSync(join(here.root, 'etc/s'), 'utf8')).toBe(SECRET);
    expect((statSync(join(here.root, 'etc/s')).mode & 0o7777).toString(8)).toBe('600');
    expect((statSync(join(here.root, 'etc/open')).mode & 0o7777).toString(8)).toBe('640');
    expect(here.got.map(({ method }) => method)).toEqual(['GET', 'GET', 'DELETE']);
    expect(redact(`${SECRET} ${Buffer.from(SECRET).toString('base64')}`)).not.toContain(SECRET);
  });

  it('stay at their source while nothing shows that the user data made a node', async () => {
    const here = await machine(vault);
    const document = await read(
      `#cloud-config\nslipway: {secrets: ${SETTINGS}}\nwrite_files:\n- {path: /etc/s, source: {uri: "vault:///kv/s?field=password&delete=true", hash: ${HASH}}}\nruncmd: [/usr/local/bin/bootstrap-node.sh]\n`,
    );
    const deleted = async () => (await run(document, here, ['secrets/deleted']))['secrets/deleted'];
    expect(await deleted()).toMatchObject({ done: true, message: 'kept: there is no node' });
    expect(here.got).toEqual([]);
    for (const path of ['etc/kubernetes/kubelet.conf', 'var/lib/kubelet/pki/kubelet-client-current.pem']) {
      mkdirSync(dirname(join(here.root, path)), { recursive: true });
      writeFileSync(join(here.root, path), '');
    }
    expect(await deleted()).toMatchObject({ message: '1 secret of 1 deleted' });
  });

  it.each(FORMATS)('are shown by their reference, and converted as they are: %s', async (_, text) => {
    const document = await read(text);
    const details = plan(document).flatMap((step) => step.details);
    const fetched =
      /^fetch \/etc\/s 0600 (?:root:root|0:0) from vault:\/\/\/kv\/s\?field=password&delete=true$/;
    expect(details.filter((line) => fetched.test(line))).toHaveLength(1);
    expect(details).toContain('delete vault:///kv/s?field=password&delete=true');
    const converted = await read(writeNative(document));
    expect(errors(converted)).toEqual([]);
    expect(plan(converted).flatMap((step) => step.details)).toEqual(details);
  });

  it.each<[string, (got: Got) => Given, string]>([
    ['is refused', () => ({ status: 403, body: { errors: ['permission denied'] } }), 'SecretDenied'],
    ['does not answer', () => ({ status: 503, body: {} }), 'SecretStoreUnreachable'],
    ['gives something else', () => ({ body: { data: { password: 'other-secret' } } }), 'SecretUndecryptable'],
  ])('nothing is written, and nothing deleted, where the store %s', async (_, answer, code) => {
    for (const [, text] of FORMATS) {
      const here = await machine(answer);
      const results = await run(await read(text), here, ['files']);
      expect(results.files).toMatchObject({
        done: false,
        failure: { code, cause: expect.stringMatching(/^\/etc\/s was not written: vault:\/\/\/kv\/s/) },
      });
      expect(existsSync(join(here.root, 'etc/s'))).toBe(false);
      expect(JSON.stringify(results)).not.toMatch(/other-secret|hvs\./);
      expect(here.got.some(({ method }) => method === 'DELETE')).toBe(false);
      await here.close();
    }
    made = undefined;
  });

  it.each<[string, Given, string[]]>([
    ['may not be deleted', { status: 403, body: { errors: ['permission denied'] } }, ['SecretNotDeleted']],
    ['is gone already', { status: 404, body: { errors: [] } }, []],
  ])('a secret that %s does not keep the machine from its work', async (_, deletion, codes) => {
    const here = await machine((got) => (got.method === 'DELETE' ? deletion : vault(got)));
    const results = await run(await read(FORMATS[0]?.[1] ?? ''), here);
    expect(results['secrets/deleted']?.done).toBe(true);
    expect(results['secrets/deleted']?.findings.map((finding) => finding.split(' ')[0])).toEqual(codes);
  });

  it.each(FORMATS)(
    'are an error where the disk holds something else than was written: %s',
    async (_, text) => {
      const here = await machine(vault);
      const { files } = here.host;
      const cut = <T extends { content: string | Uint8Array }>(file: T): T => ({
        ...file,
        content: file.content.slice(1),
      });
      const lossy: typeof files = {
        ...files,
        write: (path, content, ...rest) => files.write(path, cut({ content }).content, ...rest),
        writeAll: (all) => files.writeAll(all.map(cut)),
      };
      const results = await run(await read(text), { ...here, host: { ...here.host, files: lossy } }, [
        'files',
      ]);
      expect(results.files).toMatchObject({
        failure: {
          code: 'FileNotWritten',
          cause: expect.stringContaining('/etc/s was written, and does not hold'),
        },
      });
      expect(JSON.stringify(results)).not.toContain(SECRET.slice(1));
    },
  );

  it('are for root alone, too, where they are appended to a file that all may read, unless a mode is said', async () => {
    const here = await machine(vault);
    for (const name of ['s', 'open']) {
      writeFileSync(join(here.root, 'etc', name), 'before ', { mode: 0o644 });
    }
    const append = [{ source: 'vault:///kv/s?field=password' }];
    const settings = `data:,${encodeURIComponent(`secrets: ${SETTINGS}`)}`;
    const storage = {
      files: [
        { path: '/etc/slipway/node.yaml', mode: 384, contents: { source: settings } },
        { path: '/etc/s', append },
        { path: '/etc/open', mode: 420, append },
      ],
    };
    await run(await read(JSON.stringify({ ignition: { version: '3.4.0' }, storage })), here, ['files']);
    const found = ['s', 'open'].map((name) => {
      const path = join(here.root, 'etc', name);
      return [readFileSync(path, 'utf8'), (statSync(path).mode & 0o7777).toString(8)];
    });
    expect(found).toEqual([
      [`before ${SECRET}`, '600'],
      [`before ${SECRET}`, '644'],
    ]);
  });

  it('finds again after a reboot what /run has lost, but for what could be had once only', async () => {
    const here = await machine(vault);
    const text = `#cloud-config\nslipway: {kubeadm: none, secrets: ${SETTINGS}}\nwrite_files:\n- {path: /run/a, source: {uri: "vault:///kv/a?field=password"}}\n- {path: /run/b, source: {uri: "vault:///kv/b?field=password&delete=true"}}\n`;
    const [files] = plan(await read(text));
    const step = await files?.load({} as Shared);
    await step?.renew?.(here.host);
    expect([existsSync(join(here.root, 'run/a')), existsSync(join(here.root, 'run/b'))]).toEqual([
      true,
      true,
    ]);
    const gone = await machine(({ url }) =>
      url.includes('/kv/b')
        ? { status: 404, body: { errors: [] } }
        : vault({ url, method: 'GET', headers: {}, body: '' }),
    );
    await step?.renew?.(gone.host);
    expect([existsSync(join(gone.root, 'run/a')), existsSync(join(gone.root, 'run/b'))]).toEqual([
      true,
      false,
    ]);
    await here.close();
  });
});

describe('what is wrong with a reference', () => {
  it.each([
    ['source: {uri: "vault://evil.example/x"}', 'the reference must begin with vault:///'],
    ['source: {uri: "vault:///x", headers: {a: b}}', 'reference cannot have headers'],
    ['content: x, source: {uri: "vault:///x"}', 'have other content'],
    ['source: {uri: "vault:///x", hash: md5-x}', 'hash must be'],
    ['source: {uri: "file:///a%2Fb"}', 'uri must be a'],
  ])('is said with its place: %s', async (entry, message) => {
    const document = await read(
      `#cloud-config\nslipway: {kubeadm: none}\nwrite_files:\n- {path: /a, ${entry}}\n`,
    );
    const [first] = document.report.filter(({ severity }) => severity === 'error');
    expect(first).toMatchObject({
      code: 'UserDataInvalid',
      message: expect.stringContaining(message),
      where: { line: 4 },
    });
  });

  it('is said for Ignition and for the own document', async () => {
    const ignition = {
      ignition: { version: '3.4.0' },
      storage: { files: [{ path: '/a', contents: { source: 'azure-keyvault://evil.example/x' } }] },
    };
    expect(errors(await read(JSON.stringify(ignition))).join()).toMatch(
      /\$\.storage\.files\.0\.contents\.source must name an Azure key vault/,
    );
    const own =
      'apiVersion: slipway.dev/v1alpha1\nkind: UserData\nfiles: [{path: /a, from: {url: "aws-ssm:///"}}]\n';
    expect(errors(await read(own)).join()).toMatch(/reference of \/a names no secret/);
    const elsewhere = { ignition: { version: '3.4.0', config: { merge: [{ source: 'vault:///x' }] } } };
    expect(errors(await read(JSON.stringify(elsewhere))).join()).toMatch(
      /scheme that this spec does not support/,
    );
  });

  it('is said of settings', async () => {
    for (const [settings, message] of [
      ['{vault: {address: "http://vault.example"}}', 'address must begin with https://'],
      ['{vault: {address: "http://127.0.0.1.evil.example"}}', 'address must begin with https://'],
      ['{vault: {tokenFile: /x}}', 'address is missing'],
      ['{vault: {address: "https://v", tokenFile: /x, appRole: {roleId: r}}}', 'set exactly one of'],
      [
        '{vault: {address: "https://v", appRole: {roleId: r, secretId: a, secretIdFile: /b}}}',
        'set exactly one of',
      ],
      ['{vlt: {}}', 'vlt'],
      ['{age: {identities: [key]}}', 'absolute file paths'],
    ] as const) {
      const document = await read(`#cloud-config\nslipway: {kubeadm: none, secrets: ${settings}}\n`);
      expect(errors(document).join(), settings).toContain(message);
    }
  });
});
