import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { kubeconfigContext, pemAt, textAt } from '../../kit/kubeconfig.ts';
import { type Access, AccessError } from './access.ts';
import { inClusterAccess } from './in-cluster.ts';
import { parseProxy, placeOf, proxyFor } from './proxy.ts';
import { TENANT } from './untrusted/limits.ts';
import { readYaml, YamlError } from './untrusted/read-yaml.ts';

/** Twenty times as much as Cluster API writes: authorities may be a bundle. */
const MOST_BYTES = 128 * 1024;

/** A credential plugin, as its user names it. */
interface Exec {
  apiVersion: string;
  command: string;
  args?: string[];
  env?: { name: string; value: string }[];
}

/**
 * Takes the first that is given: `path`, `$KUBECONFIG` (its first file), the pod's service account,
 * `~/.kube/config`.
 *
 * @throws AccessError that says what to do
 */
export function findAccess(options: { path?: string; context?: string } = {}): Access {
  const named = options.path ?? process.env.KUBECONFIG?.split(':').find((path) => path !== '');
  if (named === undefined) {
    const pod = inClusterAccess();
    if (pod) return pod;
  }
  return readKubeconfig(named ?? join(homedir(), '.kube/config'), options.context);
}

/** @throws AccessError */
export function readKubeconfig(path: string, contextName?: string): Access {
  return accessOf(load(readText(path), path), contextName, {
    name: path,
    file: (name) => readText(resolve(dirname(path), name)),
    plugin: fromPlugin,
  });
}

/** What an operator allows tenants' kubeconfigs. */
export interface Allowed {
  /** Proxies that they may name, each as `scheme://host:port`. */
  readonly proxies: readonly string[];
}

/**
 * Reads a kubeconfig that a tenant wrote, such as one from a Secret in the tenant's namespace. It has to hold everything itself:
 * files of this machine, commands, and ways through the network are not its to name.
 *
 * @param name of where it is from, for errors
 * @throws AccessError
 */
export function readTenantKubeconfig(text: string, name: string, allowed: Allowed): Access {
  if (text.length > MOST_BYTES)
    throw new AccessError(`${name} has more than ${MOST_BYTES / 1024} KiB; a kubeconfig has about 6`);
  const config = load(text, name);
  const refuse = (what: string) => (): never => {
    throw new AccessError(`${name} names ${what}; it must hold certificates, keys and tokens itself`);
  };
  const { user } = kubeconfigContext(config);
  if (user['auth-provider'] !== undefined) refuse('an auth-provider')();
  const access = accessOf(config, undefined, {
    ...{ name, file: refuse('a file'), plugin: refuse('a command') },
    proxy: (url) => allowedProxy(url, name, allowed),
  });
  if (access.server.protocol !== 'https:') throw new AccessError(`${name} names a server without TLS`);
  // Whether it names a file for the token is seen only when somebody asks for one.
  access.token?.();
  return { ...access, limits: TENANT };
}

function allowedProxy(url: string, name: string, { proxies }: Allowed): URL {
  const proxy = parseProxy(url, name);
  if (proxies.includes(placeOf(proxy))) return proxy;
  throw new AccessError(
    `${name} names the proxy ${placeOf(proxy).slice(0, 300)}, which nobody has allowed; remove its proxy-url, or allow the proxy with --allow-proxy`,
  );
}

/** Where a kubeconfig is from, and what it may take from elsewhere. */
interface Surroundings {
  readonly name: string;
  readonly file: (name: string) => string;
  readonly plugin: (exec: Exec) => PluginStatus;
  /** @throws AccessError where it must not be used */
  readonly proxy?: (url: string) => URL;
}

function accessOf(
  config: unknown,
  contextName: string | undefined,
  { name: from, file, plugin, proxy: proxyOf = (url) => parseProxy(url, from) }: Surroundings,
): Access {
  const { name, server: address, context, cluster, user } = kubeconfigContext(config, contextName);
  if (address === undefined) throw new AccessError(`${from} has no usable context ${name}`);
  const server = URL.parse(address);
  if (!server) throw new AccessError(`${from} names a server that is no URL in the context ${name}`);
  const proxyUrl = textAt(cluster, 'proxy-url');
  // A kubeconfig's proxy takes precedence over the environment, even over NO_PROXY.
  const proxy = proxyUrl === undefined ? proxyFor(server, process.env) : proxyOf(proxyUrl);
  const ca = pemAt(cluster, 'certificate-authority', file);
  const credentials = user.exec ? plugin(user.exec as Exec) : undefined;
  const cert = credentials?.clientCertificateData ?? pemAt(user, 'client-certificate', file);
  const key = credentials?.clientKeyData ?? pemAt(user, 'client-key', file);
  const tokenFile = textAt(user, 'tokenFile');
  const token = tokenFile ? () => file(tokenFile).trim() : () => credentials?.token ?? textAt(user, 'token');
  const serverName = textAt(cluster, 'tls-server-name');
  return {
    server,
    ...(ca ? { ca } : {}),
    ...(serverName ? { serverName } : {}),
    ...(cert && key ? { clientCertificate: { cert, key } } : {}),
    token,
    ...(proxy ? { proxy } : {}),
    namespace: textAt(context, 'namespace') ?? 'default',
  };
}

function load(text: string, path: string): unknown {
  try {
    return readYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new AccessError(`${path} is no kubeconfig: ${error.message}`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new AccessError(
      code === 'ENOENT'
        ? `there is no ${path}; name a kubeconfig with --kubeconfig or $KUBECONFIG`
        : `cannot read ${path}: ${(error as Error).message}`,
    );
  }
}

interface PluginStatus {
  token?: string;
  clientCertificateData?: string;
  clientKeyData?: string;
}

/** Asks a credential plugin only once: a command for people ends before the answer expires. */
function fromPlugin({ command, args = [], env = [], apiVersion }: Exec): PluginStatus {
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  try {
    const answer = execFileSync(command, args, {
      encoding: 'utf8',
      timeout: 60_000,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...own, KUBERNETES_EXEC_INFO: info },
    });
    return (JSON.parse(answer) as { status?: PluginStatus }).status ?? {};
  } catch (error) {
    const { status, code } = error as NodeJS.ErrnoException & { status?: number };
    throw new AccessError(`the credential plugin ${command} failed (${code ?? `exit status ${status}`})`);
  }
}
