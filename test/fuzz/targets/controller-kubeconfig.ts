import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccessError } from '../../../src/controller/kube/access.ts';
import { readKubeconfig } from '../../../src/controller/kube/kubeconfig.ts';
import { KUBECONFIG_WORDS, texts } from '../corpus.ts';
import type { Target } from '../target.ts';

const WHOLE = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: n}}]
clusters: [{name: k, cluster: {server: 'https://10.0.0.1:6443', certificate-authority-data: QQ==, tls-server-name: a}}]
users: [{name: u, user: {token: t, client-certificate-data: QQ==, client-key-data: QQ==}}]
`;

/** A kubeconfig that somebody points the controller to; it reads real files, so this one lies in a folder of its own. */
export const controllerKubeconfig: Target = {
  name: 'controller-kubeconfig',
  dictionary: [...KUBECONFIG_WORDS, 'token', 'tokenFile'],
  corpus: () => texts(WHOLE),
  refuses: (error) => error instanceof AccessError,
  run: (bytes) => {
    // Credential plugins are programs; those that chance names are not run.
    if (bytes.includes('exec')) return 'not tried';
    const folder = mkdtempSync(join(tmpdir(), 'slipway-fuzz-'));
    try {
      // An operator's own file; the library takes seconds for one that is long and nested without end.
      writeFileSync(join(folder, 'config'), bytes.subarray(0, 16 * 1024));
      const { server, ca, serverName, clientCertificate, namespace } = readKubeconfig(join(folder, 'config'));
      return { server: server.href, ca, serverName, clientCertificate, namespace };
    } catch (error) {
      throw withoutFolder(error, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The same words for the same bytes, whatever the folder is called. */
function withoutFolder(error: unknown, folder: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(folder, 'DIR');
  return error;
}
