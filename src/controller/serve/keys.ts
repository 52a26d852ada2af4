import { ExpectedError } from '../../kit/errors.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { SqliteStore } from '../store/sqlite-store.ts';
import { Keys, type Material, makeMaterial } from './key-ring.ts';

const CA_SECRET = 'slipway-controller-ca';

/** Where the material of the keys lies. */
export interface KeyPlace {
  /** Undefined if nobody has made it yet. */
  read(): Promise<Material | undefined>;
  /** @returns false if somebody else has written since `read` */
  write(material: Material): Promise<boolean>;
}

/** The keys; the first replica makes them. @throws KubeError, StoreBusy */
export async function keysFrom(place: KeyPlace): Promise<Keys> {
  const found = await place.read();
  if (found) return new Keys(found);
  const made = makeMaterial();
  if (await place.write(made)) return new Keys(made);
  const other = await place.read();
  if (!other) throw new ExpectedError('the keys of the controller were removed while it started');
  return new Keys(other);
}

/** The authorities that count, in PEM. @throws Error if no controller has made one yet; KubeError */
export async function kubernetesCertificate(client: KubeClient, namespace: string): Promise<string> {
  return (await readKubernetesKeys(client, namespace)).trusted;
}

/** @throws Error if no controller has made them yet; KubeError */
export async function readKubernetesKeys(client: KubeClient, namespace: string): Promise<Keys> {
  const found = await new KeySecret(client, namespace).read();
  if (found) return new Keys(found);
  throw new ExpectedError(
    `there is no Secret ${namespace}/${CA_SECRET} yet; the controller makes it when it starts`,
  );
}

/** Reads them from the embedded store, whose file only its owner can read. */
export function sqliteKeys(store: SqliteStore): Promise<Keys> {
  return keysFrom(new KeySetting(store));
}

/** A Secret in the controller's namespace. */
export class KeySecret implements KeyPlace {
  readonly #client: KubeClient;
  readonly #namespace: string;
  #version: string | undefined;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async read(): Promise<Material | undefined> {
    try {
      const path = `${this.#path}/${CA_SECRET}`;
      const secret = await this.#client.request<KubeObject & { data?: Record<string, string> }>('GET', path);
      this.#version = secret.metadata.resourceVersion;
      return materialOf(secret.data ?? {});
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  async write(material: Material): Promise<boolean> {
    const stringData = dataOf(material);
    try {
      await (this.#version === undefined ? this.#create(stringData) : this.#replace(stringData));
      return true;
    } catch (error) {
      if (isStatus(error, 409)) return false;
      throw error;
    }
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#namespace}/secrets`;
  }

  async #create(stringData: Record<string, string>): Promise<void> {
    const metadata = { name: CA_SECRET, namespace: this.#namespace };
    await this.#client.request('POST', this.#path, {
      body: { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', stringData },
    });
  }

  async #replace(stringData: Record<string, string>): Promise<void> {
    const metadata = { name: CA_SECRET, namespace: this.#namespace, resourceVersion: this.#version };
    // Nothing of a rotation before stays.
    await this.#client.request('PUT', `${this.#path}/${CA_SECRET}`, {
      body: { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', stringData },
    });
  }
}

function dataOf({
  certificate,
  privateKey,
  tokenKey,
  activeFrom,
  previous,
}: Material): Record<string, string> {
  return {
    'tls.crt': certificate,
    'tls.key': privateKey,
    'token.key': tokenKey,
    ...(activeFrom === undefined ? {} : { 'active-from': new Date(activeFrom).toISOString() }),
    ...(previous === undefined
      ? {}
      : {
          'previous.crt': previous.certificate,
          'previous.key': previous.privateKey,
          'previous-token.key': previous.tokenKey,
          'previous-until': new Date(previous.until).toISOString(),
          'cross.crt': previous.cross,
        }),
  };
}

function materialOf(data: Readonly<Record<string, string>>): Material {
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
  const until = Date.parse(text('previous-until'));
  const activeFrom = Date.parse(text('active-from'));
  return {
    ...{ certificate: text('tls.crt'), privateKey: text('tls.key'), tokenKey: text('token.key') },
    ...(Number.isNaN(activeFrom) ? {} : { activeFrom }),
    ...(Number.isNaN(until)
      ? {}
      : {
          previous: {
            ...{ certificate: text('previous.crt'), privateKey: text('previous.key') },
            ...{ tokenKey: text('previous-token.key'), until, cross: text('cross.crt') },
          },
        }),
  };
}

const SETTING = 'keys';

/** A setting of the embedded store. */
export class KeySetting implements KeyPlace {
  readonly #store: SqliteStore;
  #before: string | undefined;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  async read(): Promise<Material | undefined> {
    this.#before = this.#store.setting(SETTING);
    return this.#before === undefined ? undefined : (JSON.parse(this.#before) as Material);
  }

  write(material: Material): Promise<boolean> {
    return this.#store.putSetting(SETTING, JSON.stringify(material), this.#before);
  }
}
