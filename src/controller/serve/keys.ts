import { randomBytes } from 'node:crypto';
import { ExpectedError } from '../../kit/errors.ts';
import { Authority } from '../../pki/authority.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { SqliteStore } from '../store/sqlite-store.ts';

/** The controller's keys. They are made once, and all replicas share them. */
export interface Keys {
  readonly authority: Authority;
  /** The key that signs Machines' tokens. */
  readonly tokenKey: Uint8Array;
}

interface Material {
  certificate: string;
  privateKey: string;
  tokenKey: string;
}

const CA_SECRET = 'slipway-controller-ca';
const NAME = 'Slipway controller';

function makeMaterial(): Material {
  return { ...Authority.create(NAME), tokenKey: randomBytes(32).toString('base64') };
}

function keysOf({ certificate, privateKey, tokenKey }: Material): Keys {
  return { authority: new Authority(certificate, privateKey), tokenKey: Buffer.from(tokenKey, 'base64') };
}

/** Reads them from the Secret in the controller's namespace; the first replica makes it. @throws KubeError */
export async function kubernetesKeys(client: KubeClient, namespace: string): Promise<Keys> {
  const found = await readSecret(client, namespace);
  if (found) return keysOf(found);
  const made = makeMaterial();
  try {
    await client.request('POST', secretsPath(namespace), {
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: CA_SECRET, namespace },
        type: 'kubernetes.io/tls',
        stringData: { 'tls.crt': made.certificate, 'tls.key': made.privateKey, 'token.key': made.tokenKey },
      },
    });
    return keysOf(made);
  } catch (error) {
    const other = isStatus(error, 409) ? await readSecret(client, namespace) : undefined;
    if (!other) throw error;
    return keysOf(other);
  }
}

/** The authority's certificate. @throws Error if no controller has made it yet; KubeError */
export async function kubernetesCertificate(client: KubeClient, namespace: string): Promise<string> {
  const found = await readSecret(client, namespace);
  if (found) return found.certificate;
  throw new ExpectedError(
    `there is no Secret ${namespace}/${CA_SECRET} yet; the controller makes it when it starts`,
  );
}

function secretsPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/secrets`;
}

async function readSecret(client: KubeClient, namespace: string): Promise<Material | undefined> {
  try {
    const path = `${secretsPath(namespace)}/${CA_SECRET}`;
    const { data = {} } = await client.request<KubeObject & { data?: Record<string, string> }>('GET', path);
    const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
    return { certificate: text('tls.crt'), privateKey: text('tls.key'), tokenKey: text('token.key') };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** Reads them from the embedded store, whose file only its owner can read. */
export async function sqliteKeys(store: SqliteStore): Promise<Keys> {
  const found = await store.setting('keys', () => JSON.stringify(makeMaterial()));
  return keysOf(JSON.parse(found) as Material);
}
