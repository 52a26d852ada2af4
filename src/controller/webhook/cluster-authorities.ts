import { createHash, X509Certificate } from 'node:crypto';
import { MAX_AUTHORITIES } from '../attest/machine-token.ts';
import { readFiles } from './read-files.ts';

const AUTHORITY_PATH = '/etc/kubernetes/pki/ca.crt';
/** kubeadm's `discovery.bootstrapToken.caCertHashes`: SHA-256 of the public keys that a joining machine believes. */
const LIST = 'caCertHashes:';
const NEXT = /[\s\-"',[\]]{0,64}sha256:([0-9a-f]{64})/y;

/**
 * The authorities of the workload cluster that bootstrap data names: those that kubeadm is told to believe, or that a control plane
 * gets as a file. A machine that enrols late shows a certificate of one of them.
 *
 * @returns SHA-256 (hex) of their public keys; none where they cannot be told, or are more than a token holds
 */
export function clusterAuthorities(value: Uint8Array): string[] {
  const found = new Set(
    readFiles(value).flatMap(({ path, content }) =>
      path === AUTHORITY_PATH ? digestOf(content) : digestsIn(content),
    ),
  );
  return found.size > MAX_AUTHORITIES ? [] : [...found];
}

function digestOf(pem: string): string[] {
  try {
    const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
    return [createHash('sha256').update(key).digest('hex')];
  } catch {
    return [];
  }
}

function digestsIn(content: string): string[] {
  const found: string[] = [];
  for (let at = content.indexOf(LIST); at >= 0; at = content.indexOf(LIST, at + 1)) {
    NEXT.lastIndex = at + LIST.length;
    for (let one = NEXT.exec(content); one !== null; one = NEXT.exec(content)) found.push(one[1] ?? '');
  }
  return found;
}
