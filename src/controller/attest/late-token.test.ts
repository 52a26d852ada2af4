import { createHash, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { Authority } from '../../pki/authority.ts';
import { fromPem } from '../../pki/pem.ts';
import { nodeProofText } from '../../protocol/enrolment.ts';
import { MachineTokenAttestor, mintMachineToken, NEVER } from './machine-token.ts';

const DAY_MS = 86_400_000;
const CHANNEL = Buffer.alloc(32, 1);
const cluster = authority('kubernetes');
const SECRET = Buffer.alloc(32, 7);
const MACHINE = { uid: '0b8f1c1e-2f4b-4d0e-9a51-1c4f1a2b3c4d', namespace: 'ns', name: 'w1' };
const attestor = new MachineTokenAttestor(() => [SECRET], { byUid: () => ({ namespace: 'ns' }) });
const kubelet = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function authority(name: string): Authority {
  const { certificate, privateKey } = Authority.create(name);
  return new Authority(certificate, privateKey);
}

function digestOf(pem: string): string {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('hex');
}

interface Shown {
  by?: Authority;
  shownAuthority?: Authority;
  name?: string;
  organization?: string;
  use?: 'client' | 'server';
  signer?: KeyObject;
  keys?: typeof kubelet;
  csr?: string;
  channel?: Uint8Array;
  at?: number;
  bytes?: { certificate: Uint8Array };
}

async function objection(shown: Shown = {}, node = 'n1', authorities = [digestOf(cluster.certificate)]) {
  const { by = cluster, keys = kubelet, signer = keys.privateKey, at = Date.now() } = shown;
  const { certificate } = by.sign(
    {
      use: shown.use ?? 'client',
      name: shown.name ?? 'system:node:n1',
      organization: shown.organization ?? 'system:nodes',
      publicKey: keys.publicKey,
    },
    DAY_MS,
    at,
  );
  const text = nodeProofText(shown.csr ?? 'csr', shown.channel ?? CHANNEL);
  const proof = {
    certificate: fromPem('CERTIFICATE', certificate),
    authority: fromPem('CERTIFICATE', (shown.shownAuthority ?? by).certificate),
    signature: sign('sha256', text, signer),
    ...shown.bytes,
  };
  const claim = await attestor.attest({
    ...{ token: mintMachineToken({ ...MACHINE, authorities }, 0, NEVER, SECRET), node: proof },
    ...{ machine: { instance: 'i', hostname: 'h' }, csr: 'csr', channel: CHANNEL },
  });
  return claim?.lateProof?.objection(node);
}

it("takes the kubelet's key and certificate of this Node", async () => {
  expect(await objection()).toBeUndefined();
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(await objection({ keys })).toBeUndefined();
});

const stranger = authority('kubernetes');
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const oddKeys = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });

it.each<[string, Shown, RegExp]>([
  ['an authority that nobody named', { by: stranger }, /not in this machine's user data/],
  [
    'the right authority, and a certificate of another',
    { by: stranger, shownAuthority: cluster },
    /not signed by/,
  ],
  ['another Node', { name: 'system:node:n2' }, /not that of Node n1/],
  ['a user that is no node', { organization: 'system:masters' }, /not that of Node/],
  ['a longer name', { name: 'system:node:n1x' }, /not that of Node/],
  ["a kubelet's serving certificate", { use: 'server' }, /not that of Node/],
  ['a certificate that has expired', { at: Date.now() - 3 * DAY_MS }, /not valid now/],
  ['a certificate without its key', { signer: otherKey }, /did not sign/],
  ['an answer for another request', { csr: 'another' }, /did not sign/],
  ['an answer on another connection', { channel: Buffer.alloc(32, 2) }, /did not sign/],
  ['a curve that nobody uses', { keys: oddKeys }, /a curve other/],
  [
    'bytes that are no certificate',
    { bytes: { certificate: Buffer.from('30030201', 'hex') } },
    /cannot be read/,
  ],
])('does not take %s', async (_, shown, why) => {
  expect(await objection(shown)).toMatch(why);
});

it('does not take the certificate for another Node, and asks for none where the token names no authority', async () => {
  expect(await objection({}, 'n2')).toMatch(/not that of Node n2/);
  expect(await objection({ by: stranger }, 'n1', [])).toBeUndefined();
});
