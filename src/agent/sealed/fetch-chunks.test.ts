import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAUSE_MS } from '../../kit/backoff.ts';
import { bootstrap } from '../bootstrap/bootstrap.ts';
import { HostError } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { type Given, type Got, type World, world } from '../stores/fixtures/world.ts';
import { capaUserData } from '../userdata/chunked/fixtures/capa.ts';

const METADATA = 'http://169.254.169.254/latest';
const ROLE = `${METADATA}/meta-data/iam/security-credentials/`;
const INSTANCE: Record<string, Given> = {
  [`${METADATA}/api/token`]: { body: 'imds-token' },
  [ROLE]: { body: 'node-role' },
  [`${ROLE}node-role`]: {
    body: { Code: 'Success', AccessKeyId: 'ASIAEXAMPLE', SecretAccessKey: 'key', Token: 'session' },
  },
};
const USER_DATA =
  '#cloud-config\nslipway: {kubeadm: none}\nwrite_files: [{path: /etc/joined, content: "password: hunter2hunter2", permissions: "0600", owner: "0:0"}]\n';

const { clock } = createLinuxHost();
let made: World;
/** What lies in the store, by the name that it is asked for. */
let store: Map<string, Buffer>;
let busy = false;
/** It deletes nothing. */
let keepsAll = false;

function answer({ url, headers, body }: Got): Given {
  const standard = INSTANCE[url];
  if (standard) return standard;
  if (busy) return { status: 503 };
  const action = headers['x-amz-target']?.split('.').at(-1) ?? '';
  const asked = JSON.parse(body) as { SecretId?: string; Name?: string };
  const name = asked.SecretId ?? asked.Name ?? '';
  const piece = store.get(name);
  if (piece === undefined) return { status: 400, body: { __type: 'ResourceNotFoundException' } };
  if (action.startsWith('Delete') && keepsAll) return { status: 503 };
  if (action.startsWith('Delete')) store.delete(name);
  if (action === 'GetSecretValue') return { body: { SecretBinary: piece.toString('base64') } };
  return { body: { Parameter: { Value: piece.toString('latin1') } } };
}

/** Cuts what lies in the store into pieces of 40 bytes. */
function put(bytes: Buffer, name: (index: number) => string): number {
  const count = Math.ceil(bytes.length / 40);
  for (let n = 0; n < count; n += 1) store.set(name(n), bytes.subarray(40 * n, 40 * (n + 1)));
  return count;
}

async function run(text: string) {
  const told: string[] = [];
  const userDataFile = join(made.root, 'user-data');
  writeFileSync(userDataFile, text);
  const outcome = await bootstrap({
    host: {
      ...made.host,
      // Who waits for the store waits no time here; heartbeats do.
      clock: {
        ...clock,
        sleep: async (ms, signal) => (ms === PAUSE_MS.elsewhere ? undefined : clock.sleep(ms, signal)),
      },
    },
    agent: '0',
    userDataFile,
    deadlineSeconds: 10,
    stop: new AbortController().signal,
    watcher: {
      record: () => undefined,
      output: (line) => {
        told.push(line);
        busy = false;
      },
    },
    verdict: { fault: new Promise(() => undefined), unwritten: () => undefined },
  });
  return { outcome, told };
}

beforeEach(async () => {
  store = new Map();
  busy = false;
  keepsAll = false;
  made = await world(answer);
});
afterEach(() => made.close());

describe("user data of Cluster API's AWS provider", () => {
  it.each(['secretsmanager', 'ssm'] as const)(
    'are had from %s, deleted when done, and not asked for again',
    async (service) => {
      const isText = service === 'ssm';
      const zipped = gzipSync(USER_DATA);
      const chunks = put(isText ? Buffer.from(zipped.toString('base64')) : zipped, (n) =>
        isText ? `/p/id/${n}` : `p/id-${n}`,
      );
      const text = capaUserData({ service, prefix: isText ? '/p/id' : 'p/id', chunks });
      const first = await run(text);
      expect(first.outcome).toMatchObject({ result: 'succeeded', findings: [] });
      expect((await made.host.files.readIfPresent('/etc/joined', 100))?.toString()).toContain(
        'hunter2hunter2',
      );
      expect([...store]).toEqual([]);
      const kept = await made.host.files.readIfPresent('/var/lib/slipway/sealed.json', 1e6);
      const { userData } = JSON.parse(String(kept)) as { userData: string };
      expect(Buffer.from(userData, 'base64').toString()).not.toContain('hunter2hunter2');

      made.got.length = 0;
      expect((await run(text)).outcome).toMatchObject({ result: 'succeeded' });
      expect(made.got).toEqual([]);
    },
  );

  it('are waited for while the store has too much to do', async () => {
    busy = true;
    const chunks = put(gzipSync(USER_DATA), (n) => `p/id-${n}`);
    const { outcome, told } = await run(capaUserData({ prefix: 'p/id', chunks }));
    expect(outcome).toMatchObject({ result: 'succeeded' });
    expect(told[0]).toMatch(/user data could not be fetched.*status 503.*Looking again/);
  });

  it('are an error where they are more than user data may be, before all of them were had', async () => {
    const large = Buffer.alloc(1024 * 1024);
    for (let n = 0; n < 70; n += 1) store.set(`p/id-${n}`, large);
    const { outcome } = await run(capaUserData({ prefix: 'p/id', chunks: 70 }));
    expect(outcome).toMatchObject({ result: 'bad-input', failure: { code: 'SecretUndecryptable' } });
    expect(outcome.failure?.cause).toContain('more than');
    expect(made.got.filter(({ headers }) => headers['x-amz-target'])).toHaveLength(65);
  });

  it('are deleted at a later start where the store had too much to do, and a finding says so', async () => {
    const chunks = put(gzipSync(USER_DATA), (n) => `p/id-${n}`);
    const text = capaUserData({ prefix: 'p/id', chunks });
    keepsAll = true;
    const first = await run(text);
    expect(first.outcome).toMatchObject({ result: 'succeeded', findings: [{ code: 'SecretNotDeleted' }] });
    expect(store.size).toBe(chunks);
    keepsAll = false;
    expect((await run(text)).outcome).toMatchObject({ result: 'succeeded', findings: [] });
    expect(store.size).toBe(0);
    made.got.length = 0;
    await run(text);
    expect(made.got).toEqual([]);
  });

  it('stay in the store where nothing of them could be kept', async () => {
    const chunks = put(gzipSync(USER_DATA), (n) => `p/id-${n}`);
    const { files } = made.host;
    const write: typeof files.write = async (path, ...rest) => {
      if (path.endsWith('sealed.json')) throw new HostError('no space left on device', 'ENOSPC');
      return files.write(path, ...rest);
    };
    made = { ...made, host: { ...made.host, files: { ...files, write } } };
    const { outcome } = await run(capaUserData({ prefix: 'p/id', chunks }));
    expect(outcome.result).toBe('succeeded');
    expect(outcome.findings.map(({ code }) => code)).toContain('SecretNotDeleted');
    expect(store.size).toBe(chunks);
  });

  it('are an error where they are broken, and nothing is deleted', async () => {
    store.set('p/id-0', Buffer.from('no gzip'));
    const broken = await run(capaUserData({ prefix: 'p/id', chunks: 1 }));
    expect(broken.outcome).toMatchObject({ result: 'bad-input', failure: { code: 'SecretUndecryptable' } });
    expect([...store.keys()]).toEqual(['p/id-0']);
  });
});
