import type { KubeClient } from '../kube/client.ts';
import { succeedsUnlessStatus, undefinedOnStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { Material } from './key-ring.ts';
import type { KeyStorage } from './key-storage.ts';
import type { TokenMaterial } from './token-keys.ts';
import type { WebhookMaterial } from './webhook-keys.ts';

/** How a material lies in a Secret. */
interface Shape<T> {
  readonly name: string;
  readonly type: string;
  data(material: T): Record<string, string>;
  read(text: (key: string) => string): T;
}

/** The authority, with its private key. */
export function authoritySecret(client: KubeClient, namespace: string): KeyStorage<Material> {
  return new SecretPlace(client, namespace, AUTHORITY);
}

/** The key of Machines' tokens. It lies alone, so that whoever makes tokens has no right on the authority. */
export function tokenKeySecret(client: KubeClient, namespace: string): KeyStorage<TokenMaterial> {
  return new SecretPlace(client, namespace, TOKEN_KEY);
}

/** What the webhook serves with. The controller writes it, so that the webhook has no right on the authority. */
export function webhookSecret(client: KubeClient, namespace: string): KeyStorage<WebhookMaterial> {
  return new SecretPlace(client, namespace, WEBHOOK);
}

/** A Secret in the controller's namespace. */
class SecretPlace<T> implements KeyStorage<T> {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #shape: Shape<T>;
  #version: string | undefined;

  constructor(client: KubeClient, namespace: string, shape: Shape<T>) {
    this.#client = client;
    this.#namespace = namespace;
    this.#shape = shape;
  }

  get name(): string {
    return `${this.#namespace}/${this.#shape.name}`;
  }

  async read(): Promise<T | undefined> {
    const path = `${this.#path}/${this.#shape.name}`;
    type Secret = KubeObject & { data?: Record<string, string> };
    const secret = await undefinedOnStatus(this.#client.request<Secret>('GET', path), 404);
    // One that was deleted since is made anew.
    this.#version = secret?.metadata.resourceVersion;
    if (secret === undefined) return undefined;
    const { data = {} } = secret;
    return this.#shape.read((key) => Buffer.from(data[key] ?? '', 'base64').toString('utf8'));
  }

  write(material: T): Promise<boolean> {
    const { name, type } = this.#shape;
    const isNew = this.#version === undefined;
    const metadata = { name, namespace: this.#namespace, resourceVersion: this.#version };
    // Nothing of a rotation before stays.
    const written = this.#client.request(
      isNew ? 'POST' : 'PUT',
      isNew ? this.#path : `${this.#path}/${name}`,
      { body: { apiVersion: 'v1', kind: 'Secret', metadata, type, stringData: this.#shape.data(material) } },
    );
    return succeedsUnlessStatus(written, 409);
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#namespace}/secrets`;
  }
}

const AUTHORITY: Shape<Material> = {
  name: 'slipway-controller-ca',
  type: 'kubernetes.io/tls',
  data: ({ certificate, privateKey, activeFrom, previous }) => ({
    'tls.crt': certificate,
    'tls.key': privateKey,
    ...(activeFrom === undefined ? {} : { 'active-from': time(activeFrom) }),
    ...(previous === undefined
      ? {}
      : {
          'previous.crt': previous.certificate,
          'previous.key': previous.privateKey,
          'previous-until': time(previous.until),
          'cross.crt': previous.cross,
        }),
  }),
  read: (text) => {
    const until = Date.parse(text('previous-until'));
    return {
      ...{ certificate: text('tls.crt'), privateKey: text('tls.key') },
      ...activeFrom(text),
      ...(Number.isNaN(until)
        ? {}
        : {
            previous: {
              ...{ certificate: text('previous.crt'), privateKey: text('previous.key') },
              ...{ until, cross: text('cross.crt') },
            },
          }),
      ...(text('token.key') === '' ? {} : { tokens: TOKEN_KEY.read(text) }),
    };
  },
};

const TOKEN_KEY: Shape<TokenMaterial> = {
  name: 'slipway-controller-token-key',
  type: 'slipway.dev/token-key',
  data: ({ key, activeFrom, previous }) => ({
    'token.key': key,
    ...(activeFrom === undefined ? {} : { 'active-from': time(activeFrom) }),
    ...(previous && { 'previous-token.key': previous.key, 'previous-until': time(previous.until) }),
  }),
  read: (text) => {
    const until = Date.parse(text('previous-until'));
    return {
      key: text('token.key'),
      ...activeFrom(text),
      ...(Number.isNaN(until) ? {} : { previous: { key: text('previous-token.key'), until } }),
    };
  },
};

const WEBHOOK: Shape<WebhookMaterial> = {
  name: 'slipway-webhook',
  type: 'slipway.dev/webhook',
  data: ({ certificate, key, authorities, pathSecret }) => ({
    ...{ 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authorities, path: pathSecret },
  }),
  read: (text) => ({
    ...{
      certificate: text('tls.crt'),
      key: text('tls.key'),
      authorities: text('ca.crt'),
      pathSecret: text('path'),
    },
  }),
};

function activeFrom(text: (key: string) => string): { activeFrom?: number } {
  const at = Date.parse(text('active-from'));
  return Number.isNaN(at) ? {} : { activeFrom: at };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
