import { createHash, createPublicKey } from 'node:crypto';
import { createCsr, createKey } from '../../pki/csr.ts';
import { CREDENTIAL_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';

const FILE = `${CREDENTIAL_DIR}/pending.json`;

/** What is asked for and not given yet. It is kept, so that the next call goes on with the same request. */
export interface PendingRequest {
  readonly nodeName: string;
  /** PEM. */
  readonly key: string;
  readonly csr: string;
  /** Of the CertificateSigningRequest: by its key, so that who asks twice has one request. */
  readonly name: string;
}

/** Undefined where nothing is asked for. @throws HostError */
export async function readPendingRequest(host: Host, nodeName: string): Promise<PendingRequest | undefined> {
  const text = (await host.files.readIfPresent(FILE, 65_536))?.toString('utf8');
  try {
    const value = JSON.parse(text ?? '');
    const isWhole = ['key', 'csr', 'name'].every((name) => typeof value?.[name] === 'string');
    return isWhole && value.nodeName === nodeName ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A new key and the request for it. @throws HostError */
export async function createPendingRequest(host: Host, nodeName: string): Promise<PendingRequest> {
  const key = createKey();
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const digest = createHash('sha256').update(spki).digest('hex');
  const csr = createCsr(key, `system:node:${nodeName}`, 'system:nodes');
  const pending = { nodeName, key, csr, name: `slipway-${digest.slice(0, 40)}` };
  await host.files.mkdir(CREDENTIAL_DIR, 0o700);
  await host.files.write(FILE, `${JSON.stringify(pending)}\n`, { mode: 0o600 });
  return pending;
}

/** @throws HostError */
export async function deletePendingRequest(host: Host): Promise<void> {
  await host.files.remove(FILE);
}
