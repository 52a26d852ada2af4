import { beforeEach, describe, expect, it } from 'vitest';
import { type MachineToken, readMachineToken } from '../attest/machine-token.ts';
import { createLog } from '../log.ts';
import type { AdmissionRequest, SecretObject } from './admission-review.ts';
import { BootstrapData, type Mode } from './bootstrap-data.ts';
import type { BootstrapOwner } from './bootstrap-owner.ts';

const PROVIDER = 'system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager';
const TEXT = '#cloud-config\nwrite_files:\n- path: /a\n  content: b\n';
const UID = '0f8fad5b-d9cb-469f-a165-70867728950e';

let results: string[];
let log: string;
let paused: boolean;
let owner: BootstrapOwner | undefined;

beforeEach(() => {
  results = [];
  log = '';
  paused = true;
  owner = {
    kind: 'Machine',
    name: 'w1',
    uid: UID,
    cluster: 'demo',
    mode: undefined,
    isOver: false,
    namesTpm: false,
  };
});

function secret(more: Partial<SecretObject> = {}, value = TEXT): SecretObject {
  return {
    kind: 'Secret',
    type: 'cluster.x-k8s.io/secret',
    data: { value: Buffer.from(value).toString('base64'), format: 'Y2xvdWQtY29uZmln' },
    metadata: {
      name: 'w1',
      namespace: 'default',
      labels: { 'cluster.x-k8s.io/cluster-name': 'demo' },
      ownerReferences: [
        {
          apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
          kind: 'KubeadmConfig',
          name: 'w1',
          uid: 'x',
          controller: true,
        },
      ],
    },
    ...more,
  };
}

interface Response {
  allowed: boolean;
  patch?: string;
  warnings?: string[];
}

async function review(
  object: SecretObject,
  more: Partial<AdmissionRequest> = {},
  mode: Mode = 'managed',
): Promise<Response & { text: string | undefined }> {
  const data = new BootstrapData({
    endpoints: ['https://slipway.example:8443'],
    writers: [PROVIDER],
    kinds: ['KubeadmConfig.bootstrap.cluster.x-k8s.io'],
    authorities: () => 'PEM',
    tokenKeys: () => [Buffer.alloc(32)],
    find: async () => owner,
    isPaused: async (_, cluster) => cluster === 'demo' && paused,
    reviewed: (result) => results.push(result),
    log: createLog((line) => {
      log += line;
    }),
  });
  const request = {
    ...{ uid: 'r', operation: 'CREATE', namespace: 'default', user: PROVIDER, isDryRun: false },
    ...{ object, oldObject: undefined, ...more },
  };
  const { response } = (await data.review(request, mode)) as { response: Response };
  const patch = response.patch && JSON.parse(Buffer.from(response.patch, 'base64').toString());
  return { ...response, text: patch && Buffer.from(patch[0].value, 'base64').toString() };
}

/** What the files have that were added. */
function decoded(text = ''): string[] {
  return [...text.matchAll(/content: '(.*)'/g)].map(([, base64 = '']) =>
    Buffer.from(base64, 'base64').toString(),
  );
}

function tokenIn(text: string): MachineToken | undefined {
  const token = decoded(text).find((content) => content.startsWith('slwm.')) ?? '';
  return readMachineToken(token.trim(), [Buffer.alloc(32)]);
}

describe('BootstrapData', () => {
  it("adds the controller's address, its authority and a token of this Machine", async () => {
    const { text, allowed } = await review(secret());
    expect(allowed).toBe(true);
    const contents = decoded(text);
    expect(JSON.parse(contents[0] ?? '')).toEqual({
      report: {
        controller: {
          endpoints: ['https://slipway.example:8443'],
          ca: 'PEM',
          tokenFile: '/etc/slipway/managed-token',
        },
      },
    });
    expect(contents[1]).toMatch(/^slwm\.D4-tW9nLRp-hZXCGdyiVDv/);
    expect(results).toEqual(['inserted']);
  });

  it('gives the token the authorities that the machine is told to believe', async () => {
    const digest = 'ab'.repeat(32);
    const { text: listed = '' } = await review(
      secret({}, `${TEXT}- path: /j\n  content: |\n    caCertHashes:\n    - sha256:${digest}\n`),
    );
    expect(tokenIn(listed)).toMatchObject({ uid: UID, authorities: [digest] });
  });

  describe('after clusterctl move', () => {
    const MOVER = { user: 'kubernetes-admin' };
    const moved = {
      kind: 'Machine',
      name: 'w1',
      uid: 'aaaaaaaa-d9cb-469f-a165-70867728950e',
      cluster: 'demo',
      mode: undefined,
    } as const;
    const made = async (): Promise<string> => (await review(secret())).text ?? '';

    it('renews the token for the Machine as it is now, and changes nothing else', async () => {
      const before = await made();
      owner = { ...moved, isOver: false, namesTpm: false };
      const { text = '' } = await review(secret({}, before), MOVER);
      expect(tokenIn(text)?.uid).toBe(moved.uid);
      const contents = /content: '.*'/g;
      expect(text.replace(contents, '')).toBe(before.replace(contents, ''));
      expect(results).toEqual(['inserted', 'renewed']);
    });

    it.each<[string, () => void, Partial<AdmissionRequest>]>([
      ['a Machine of another name', () => setMachine({ name: 'w2' }), {}],
      ['a Machine that has its Node', () => setMachine({ isOver: true }), {}],
      ['the same Machine', () => setMachine({ uid: UID }), {}],
      ['a MachinePool', () => setMachine({ kind: 'MachinePool' }), {}],
      ['another namespace', () => setMachine({}), { namespace: 'tenant' }],
      ['no Machine', () => (owner = undefined), {}],
      ['a Cluster that is not being moved', () => setMachine({}, false), {}],
      ['an update', () => setMachine({}), { operation: 'UPDATE', oldObject: secret() }],
    ])('renews nothing for %s', async (_, given, more) => {
      const before = await made();
      given();
      expect((await review(secret({}, before), { ...MOVER, ...more })).text).toBeUndefined();
      expect(results).toEqual(['inserted', 'other-writer']);
    });

    it('reads no more of the data than it must, whatever they hold', async () => {
      const before = await made();
      setMachine({});
      const settings = /(?<=managed.yaml'[\s\S]*?content: ')[^']*/;
      // The settings that were inserted stand there no longer, or twice: then the token alone is renewed.
      const known = settings.exec(before)?.[0] ?? '';
      for (const other of [before.replace(settings, ''), `${before}# ${known}\n`]) {
        const { text = '' } = await review(secret({}, other), MOVER);
        expect(tokenIn(text)?.uid).toBe(moved.uid);
        expect(text.length).toBe(other.length);
        expect(text.replace(/c2x3bS[^']*/, '')).toBe(other.replace(/c2x3bS[^']*/, ''));
      }
      const token = /c2x3bS[^']*/.exec(before)?.[0] ?? '';
      expect((await review(secret({}, `${before}# ${token}\n`), MOVER)).text).toBeUndefined();
      const large = `${before}# ${'{a: '.repeat(140_000)}`;
      expect((await review(secret({}, large), MOVER)).text).toBeUndefined();
    });

    it('renews no token that this controller did not make', async () => {
      const before = await made();
      setMachine({});
      const content = /(?<=managed-token'[\s\S]*content: ')[^']*/;
      const genuine = Buffer.from(content.exec(before)?.[0] ?? '', 'base64').toString();
      for (const token of [genuine.replace(/\.[^.]*$/, `.${'A'.repeat(43)}\n`), 'slwm.AAAA.AAAA\n', 'x']) {
        const other = before.replace(content, Buffer.from(token).toString('base64'));
        expect(other).not.toBe(before);
        expect((await review(secret({}, other), MOVER)).text).toBeUndefined();
      }
    });

    function setMachine(more: Partial<BootstrapOwner>, isMoving = true): void {
      paused = isMoving;
      owner = { ...moved, isOver: false, namesTpm: false, ...more };
    }
  });

  it('gives the machines of a MachinePool a token of that pool, anew with each change of the data', async () => {
    owner = { ...(owner as BootstrapOwner), kind: 'MachinePool' };
    const before = await review(secret());
    const payload = (decoded(before.text)[1] ?? '').split('.')[1] ?? '';
    expect(Buffer.from(payload, 'base64url').toString('hex')).toContain(UID.replaceAll('-', ''));
    const oldObject = secret({}, before.text);
    const renewed = secret({}, `${TEXT}# another token of kubeadm\n`);
    const { text } = await review(renewed, { operation: 'UPDATE', oldObject });
    expect(decoded(text)[1]).toMatch(/^slwp\./);
    owner = { ...owner, mode: 'none' };
    expect((await review(secret())).text).toBeUndefined();
    expect(results).toEqual(['inserted', 'inserted', 'not-asked']);
  });

  it('gives no token to a Machine whose TPM is named', async () => {
    owner = { ...(owner as BootstrapOwner), namesTpm: true };
    const { text } = await review(secret());
    expect(text).not.toContain('managed-token');
    expect(text).toContain('80-managed.yaml');
  });

  it('gives nobody but the bootstrap provider a token', async () => {
    const { text } = await review(secret(), { user: 'system:serviceaccount:tenant:default' });
    expect(text).toBeUndefined();
    expect(results).toEqual(['other-writer']);
    expect(log).toContain('somebody else than the named writers');
  });

  it('makes no Secret that Kubernetes does not take', async () => {
    const padding = Buffer.alloc(1_048_200).toString('base64');
    const { text, warnings } = await review({ ...secret(), data: { ...secret().data, padding } });
    expect(text).toBeUndefined();
    expect(warnings?.[0]).toMatch(/more than Kubernetes takes/);
  });

  it.each([
    ['an authority', secret({ data: { 'tls.crt': 'YQ==', 'tls.key': 'YQ==' } })],
    ['a kubeconfig', { ...secret(), metadata: { ...secret().metadata, name: 'demo-kubeconfig' } }],
    ['another type', secret({ type: 'Opaque' })],
    ['no cluster', { ...secret(), metadata: { ...secret().metadata, labels: {} } }],
    ['no value', secret({ data: { value: null as unknown as string } })],
    ['no owner', { ...secret(), metadata: { ...secret().metadata, ownerReferences: [] } }],
  ])('leaves %s as it is', async (_name, object) => {
    const { text, warnings } = await review(object);
    expect(text).toBeUndefined();
    expect(warnings).toBeUndefined();
    expect(results).toEqual(['other-secret']);
  });

  it('leaves an update as it is that does not change the data', async () => {
    expect((await review(secret(), { operation: 'UPDATE', oldObject: secret() })).text).toBeUndefined();
    expect(results).toEqual(['not-asked']);
  });

  it("follows the Machine's label before its namespace's", async () => {
    owner = { ...(owner as BootstrapOwner), mode: 'none' };
    expect((await review(secret())).text).toBeUndefined();
    owner = { ...owner, mode: 'managed' };
    expect((await review(secret(), {}, 'none')).text).toBeDefined();
    owner = { ...owner, mode: undefined };
    expect((await review(secret(), {}, 'none')).text).toBeUndefined();
    expect(results).toEqual(['not-asked', 'inserted', 'not-asked']);
  });

  it('gives no token to a Machine that has its Node', async () => {
    owner = { ...(owner as BootstrapOwner), isOver: true };
    expect((await review(secret())).text).toBeUndefined();
  });

  it.each([
    ['no Machine has the config', undefined, TEXT, /no Machine and no MachinePool has KubeadmConfig w1/],
    ['the label is misspelt', 'manged', TEXT, /takes managed or none/],
    ['the data is compressed', 'managed', '\x1f\x8b', /does not begin with #cloud-config|not text/],
  ])('allows and warns where %s', async (_name, mode, text, warning) => {
    owner = mode === undefined ? undefined : { ...(owner as BootstrapOwner), mode };
    const { allowed, warnings } = await review(secret({}, text));
    expect(allowed).toBe(true);
    expect(warnings?.[0]).toMatch(warning);
    expect(results).toEqual(['missed']);
    expect(log).toContain('a machine will not report');
  });

  it('warns where the data outgrows a platform', async () => {
    const { warnings, text } = await review(secret({}, `#cloud-config\n${'#'.repeat(15_900)}\n`));
    expect(text).toBeDefined();
    expect(warnings?.[0]).toMatch(/AWS EC2 \(16384\)/);
  });

  it('answers a dry run in the same way, because nothing is stored', async () => {
    expect((await review(secret(), { isDryRun: true })).text).toBe((await review(secret())).text);
  });
});
