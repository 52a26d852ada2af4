/**
 * References to secrets, as they stand where an address of a file's content does: `write_files[].source.uri`, Ignition's
 * `contents.source`, `files[].from.url` of a Slipway document. See docs/secrets.md.
 */
import { fileURLToPath } from 'node:url';

/** Stores that give a secret by its name. */
const STORES = [
  'aws-secretsmanager',
  'aws-ssm',
  'vault',
  'vault-wrapped',
  'azure-keyvault',
  'gcp-secretmanager',
] as const;

/** What opens a secret that lies encrypted at a place: `age+https://...`, `jwe+data:,...`. */
const OPENERS = ['age', 'jwe', 'aws-kms'] as const;

export type StoreName = (typeof STORES)[number];
export type OpenerName = (typeof OPENERS)[number];

/** A secret in a store. */
export interface StoredReference {
  kind: 'stored';
  store: StoreName;
  /** Region, vault or project; empty where the machine's own is meant. */
  authority: string;
  /** Without a slash before it. */
  name: string;
  /** What the store is asked for beside the name. */
  options: Readonly<Record<string, string>>;
  /** The value of this key of the secret, which is a JSON object. */
  field?: string;
  isBase64: boolean;
  /** It goes from the store when the machine has done its work. */
  isDeleted: boolean;
}

/** A secret that lies encrypted somewhere. */
export interface EncryptedReference {
  kind: 'sealed';
  opener: OpenerName;
  /** A URL of data:, file:, http: or https:. */
  place: string;
}

type Reference = StoredReference | EncryptedReference;

/** Options of single stores, beside `field`, `encoding` and `delete`. */
const OPTIONS: Readonly<Record<StoreName, readonly string[]>> = {
  'aws-secretsmanager': ['version-id', 'version-stage'],
  'aws-ssm': [],
  vault: ['version'],
  'vault-wrapped': ['token'],
  'azure-keyvault': [],
  'gcp-secretmanager': [],
};

const SCHEME = /^([a-z][a-z0-9-]*)(\+[a-z]+)?:/i;

/** Costs next to nothing for any other address. */
export function isSecretReference(address: string): boolean {
  const [, scheme = '', place] = SCHEME.exec(address) ?? [];
  const name = scheme.toLowerCase();
  return place === undefined ? STORES.some((store) => store === name) : OPENERS.some((of) => of === name);
}

/** @returns what is wrong with it, in words that begin in the middle of a sentence; never with a part that may be secret */
export function readReference(address: string): Reference | { problem: string } {
  const [, scheme = '', place] = SCHEME.exec(address) ?? [];
  const name = scheme.toLowerCase();
  if (place !== undefined) {
    const opener = OPENERS.find((one) => one === name);
    return opener === undefined
      ? { problem: `has an unknown opener: the openers are ${OPENERS.map((one) => `${one}+`).join(', ')}` }
      : readPlace(opener, address.slice(name.length + 1));
  }
  const store = STORES.find((one) => one === name);
  return store === undefined ? { problem: 'names no secret store' } : readStored(store, address);
}

function readPlace(opener: OpenerName, place: string): Reference | { problem: string } {
  const known = URL.canParse(place) && /^(?:data|file|https?):$/.test(new URL(place).protocol);
  if (!known) return { problem: `must have data:, file:, http: or https: after ${opener}+` };
  if (/^file:/i.test(place) && pathOfFile(place) === undefined)
    return { problem: 'does not name a valid file path' };
  return { kind: 'sealed', opener, place };
}

function readStored(store: StoreName, address: string): Reference | { problem: string } {
  if (!URL.canParse(address)) return { problem: 'is not a valid URL' };
  const { host, pathname, search, username, password, hash } = new URL(address);
  if (username !== '' || password !== '') return { problem: 'must not contain a user name or password' };
  if (hash !== '') return { problem: 'must not contain "#"; write %23' };
  const name = decoded(pathname.replace(/^\/+/, ''));
  if (name === undefined) return { problem: 'has an invalid escape (%)' };
  if (name === '') return { problem: 'names no secret after the store' };
  if (/[\p{Cc}\\]/u.test(name) || name.split('/').some((part) => part === '..' || part === '.'))
    return { problem: 'has "..", a backslash or a control character in the secret\'s name' };
  const query = new URLSearchParams(search);
  const known = ['field', 'encoding', 'delete', ...OPTIONS[store]];
  const strange = [...query.keys()].find((key) => !known.includes(key));
  if (strange !== undefined) return { problem: `has an unknown option; the options are ${known.join(', ')}` };
  if (query.has('encoding') && query.get('encoding') !== 'base64')
    return { problem: 'has an unknown encoding; only encoding=base64 is supported' };
  if (query.has('delete') && query.get('delete') !== 'true')
    return { problem: 'must have delete=true or no delete option' };
  const problem = ofStore(store, host, query);
  if (problem !== undefined) return { problem };
  const field = query.get('field');
  return {
    kind: 'stored',
    store,
    authority: host,
    name,
    options: Object.fromEntries([...query].filter(([key]) => OPTIONS[store].includes(key))),
    ...(field === null ? {} : { field }),
    isBase64: query.has('encoding'),
    isDeleted: query.has('delete'),
  };
}

/** A credential goes to nobody whom a reference names: only to hosts of the cloud, or to the one of the settings. */
function ofStore(store: StoreName, host: string, query: URLSearchParams): string | undefined {
  switch (store) {
    case 'aws-secretsmanager':
    case 'aws-ssm':
      return /^[a-z0-9-]*$/.test(host) ? undefined : 'must have a region or nothing between // and /';
    case 'vault':
      return host === '' ? undefined : 'must begin with vault:/// (the address is in the settings)';
    case 'vault-wrapped':
      if (host !== '') return 'must begin with vault-wrapped:/// (the address is in the settings)';
      if (query.has('delete')) return 'must not set delete: a wrapped secret can be opened only once';
      return (query.get('token') ?? '') === ''
        ? 'must have the wrapping token in the option token'
        : undefined;
    case 'azure-keyvault':
      return /^[a-z0-9-]{1,127}(?:\.vault\.(?:azure\.net|azure\.cn|usgovcloudapi\.net))?$/.test(host)
        ? undefined
        : 'must name an Azure key vault after //, such as azure-keyvault://my-vault/my-secret';
    case 'gcp-secretmanager':
      return /^[a-z0-9-]*$/.test(host) ? undefined : 'must have a project or nothing after //';
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * An address as it may be shown: a reference without tokens and data, any other without user and query.
 */
export function displayAddress(address: string): string {
  if (!isSecretReference(address)) {
    const { protocol, host, pathname } = new URL(address);
    return `${protocol}//${host}${pathname}`;
  }
  const reference = readReference(address);
  if ('problem' in reference) return address.split(':', 1)[0] ?? '';
  if (reference.kind === 'sealed') {
    const { opener, place } = reference;
    return /^data:/i.test(place) ? `${opener}+data:` : `${opener}+${displayAddress(place)}`;
  }
  const { store, authority, name, options, field, isDeleted } = reference;
  const { token: _token, ...rest } = options;
  const told = new URLSearchParams({
    ...rest,
    ...(field === undefined ? {} : { field }),
    ...(isDeleted ? { delete: 'true' } : {}),
  }).toString();
  return `${store}://${authority}/${name}${told === '' ? '' : `?${told}`}`;
}

/** The path that a `file:` address names; undefined where it names none (an escaped slash or NUL in it). */
export function pathOfFile(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  try {
    const path = fileURLToPath(`file://${new URL(address).pathname}`);
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}
