/** A kubeconfig as kubeadm writes it: one context that counts, credentials inside or in files beside it. */
import { type Sensitive, sensitive } from '../../kit/secrets/sensitive.ts';
import type { Host } from '../host/host.ts';
import { Report } from '../text/report.ts';
import { plainText } from '../text/source-text.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import { plain } from '../text/yaml/plain.ts';

export interface ApiAccess {
  /** URL of the API server. */
  server: string;
  /** PEM. */
  ca?: string;
  certificate?: string;
  key?: string;
  token?: Sensitive<string>;
}

/** The header by which a token is shown; none for who shows a certificate. */
export const bearer = (token: ApiAccess['token']): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` };

/** kubeadm's have 6 KiB; a bundle of authorities may take hundreds. */
const MAX_BYTES = 1024 * 1024;

type Fields = Record<string, unknown>;

/** Undefined where there is no such file, or none that names a server. @throws HostError */
export async function readKubeconfig(host: Host, path: string): Promise<ApiAccess | undefined> {
  const text = (await host.files.readIfPresent(path, MAX_BYTES))?.toString('utf8');
  const config = text === undefined ? undefined : parseKubeconfig(text);
  const context = named(config?.contexts, config?.['current-context'], 'context');
  const cluster = named(config?.clusters, context?.cluster, 'cluster');
  const user = named(config?.users, context?.user, 'user') ?? {};
  const server = cluster?.server;
  if (cluster === undefined || typeof server !== 'string' || !URL.canParse(server)) return undefined;
  const [ca, certificate, key] = await Promise.all([
    pem(host, cluster, 'certificate-authority'),
    pem(host, user, 'client-certificate'),
    pem(host, user, 'client-key'),
  ]);
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(typeof user.token === 'string' && user.token !== '' ? { token: sensitive(user.token) } : {}),
  };
}

/** What the entry of that name holds under `key`; undefined if no entry has the name. */
function named(list: unknown, name: unknown, key: string): Fields | undefined {
  if (!Array.isArray(list)) return undefined;
  const entry: unknown = list.find((one: unknown) => isFields(one) && one.name === name);
  const held = isFields(entry) ? entry[key] : undefined;
  return isFields(held) ? held : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Undefined if a power loss tore the file, or if it is no YAML: it gives no access then. */
function parseKubeconfig(text: string): Fields | undefined {
  const root = parseYaml(plainText(text), new Report());
  const config = root === undefined ? undefined : plain(root);
  return isFields(config) ? config : undefined;
}

/** The value itself in base64, or the path of a file that holds it. */
async function pem(host: Host, from: Fields, name: string): Promise<string | undefined> {
  const data = from[`${name}-data`];
  if (typeof data === 'string' && data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const path = from[name];
  if (typeof path !== 'string' || !path.startsWith('/')) return undefined;
  return (await host.files.readIfPresent(path))?.toString('utf8');
}
