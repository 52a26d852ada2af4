import { existsSync, readFileSync } from 'node:fs';
import { type Access, AccessError } from './access.ts';
import { proxyFor } from './proxy.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
/** The kubelet renews the token in place long before it expires (at 80 % of an hour). */
const TOKEN_AGE_MS = 60_000;

/** Access from inside a pod; undefined outside of one. */
export function inClusterAccess(folder = FOLDER): Access | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (!host || !existsSync(`${folder}/token`)) return undefined;
  const read = (name: string): string => {
    try {
      return readFileSync(`${folder}/${name}`, 'utf8').trim();
    } catch (error) {
      throw new AccessError(`cannot read the service account: ${(error as Error).message}`);
    }
  };
  let token = read('token');
  let readAt = performance.now();
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  const proxy = proxyFor(server, process.env);
  return {
    server,
    ...(proxy ? { proxy } : {}),
    ca: read('ca.crt'),
    namespace: read('namespace'),
    token: (refused) => {
      if (refused === token || performance.now() - readAt > TOKEN_AGE_MS) {
        token = read('token');
        readAt = performance.now();
      }
      return token;
    },
  };
}
