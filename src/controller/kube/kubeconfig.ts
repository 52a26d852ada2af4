import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { kubeconfigContext, pemAt, textAt } from '../../kit/kubeconfig.ts';
import { type Access, AccessError } from './access.ts';
import { inClusterAccess } from './in-cluster.ts';
import { parseProxy, proxyFor } from './proxy.ts';

const MAX_DEPTH = 500;

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

/**
 * Reads a kubeconfig that somebody else wrote, such as one from a Secret. It has to hold everything itself: files of this
 * machine and commands are not its to name.
 *
 * @param name of where it is from, for errors
 * @throws AccessError
 */
export function readForeignKubeconfig(text: string, name: string): Access {
  const refuse = (what: string) => (): never => {
    throw new AccessError(`${name} names ${what}; it must hold certificates, keys and tokens itself`);
  };
  const access = accessOf(load(text, name), undefined, {
    ...{ name, file: refuse('a file'), plugin: refuse('a command') },
  });
  if (access.server.protocol !== 'https:') throw new AccessError(`${name} names a server without TLS`);
  // Whether it names a file for the token is seen only when somebody asks for one.
  access.token?.();
  return access;
}

/** Where a kubeconfig is from, and what it may take from elsewhere. */
interface Surroundings {
  readonly name: string;
  readonly file: (name: string) => string;
  readonly plugin: (exec: Exec) => PluginStatus;
}

function accessOf(
  config: unknown,
  contextName: string | undefined,
  { name: from, file, plugin }: Surroundings,
): Access {
  const { name, server: address, context, cluster, user } = kubeconfigContext(config, contextName);
  if (address === undefined) throw new AccessError(`${from} has no usable context ${name}`);
  const server = URL.parse(address);
  if (!server) throw new AccessError(`${from} names a server that is no URL in the context ${name}`);
  const proxyUrl = textAt(cluster, 'proxy-url');
  // A kubeconfig's proxy takes precedence over the environment, even over NO_PROXY.
  const proxy = proxyUrl === undefined ? proxyFor(server, process.env) : parseProxy(proxyUrl, from);
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
  if (isNestedDeep(text)) throw new AccessError(`${path} is no kubeconfig: it is nested too deep`);
  try {
    // Warnings would go to the terminal, and the search for repeated keys takes quadratic time.
    return parse(text, { logLevel: 'error', uniqueKeys: false });
  } catch (error) {
    throw new AccessError(`${path} is no kubeconfig: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** A kubeconfig has five levels; a hundred times as many would exhaust the library's stack and time. */
function isNestedDeep(text: string): boolean {
  let depth = 0;
  for (const sign of text.match(/[[{}\]]/g) ?? []) {
    depth = sign === '[' || sign === '{' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_DEPTH) return true;
  }
  return text.includes('- '.repeat(MAX_DEPTH));
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
