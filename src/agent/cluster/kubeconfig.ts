/** A kubeconfig as kubeadm writes it: one context that counts, credentials inside or in files beside it. */

import { omitUndefined } from '../../kit/json.ts';
import { kubeconfigContext, pemAt, textAt } from '../../kit/kubeconfig.ts';
import { type Sensitive, sensitive } from '../../secrets/sensitive.ts';
import type { Host } from '../host/host.ts';
import { Diagnostics } from '../text/diagnostics.ts';
import { plainText } from '../text/source-text.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import { plainValue } from '../text/yaml/plain-value.ts';

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
export const bearerHeader = (token: ApiAccess['token']): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` };

/** kubeadm's have 6 KiB; a bundle of authorities may take hundreds. */
const MAX_BYTES = 1024 * 1024;

/** Undefined where there is no such file, or none that names a server. @throws HostError */
export async function readKubeconfig(host: Host, path: string): Promise<ApiAccess | undefined> {
  const text = (await host.files.readIfPresent(path, MAX_BYTES))?.toString('utf8');
  if (text === undefined) return undefined;
  // A file that a power loss tore gives no access, and one that is no YAML.
  const root = parseYaml(plainText(text), new Diagnostics());
  const { server, cluster, user } = kubeconfigContext(root && plainValue(root));
  if (server === undefined || !URL.canParse(server)) return undefined;
  const read = async (file: string) =>
    file.startsWith('/') ? (await host.files.readIfPresent(file))?.toString('utf8') : undefined;
  const [ca, certificate, key] = await Promise.all([
    pemAt(cluster, 'certificate-authority', read),
    pemAt(user, 'client-certificate', read),
    pemAt(user, 'client-key', read),
  ]);
  const token = textAt(user, 'token');
  return {
    server,
    ...omitUndefined({ ca, certificate, key }),
    ...(token === undefined ? {} : { token: sensitive(token) }),
  };
}
