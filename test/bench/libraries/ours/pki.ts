import { Authority } from '../../../../src/pki/authority.ts';
import { createCsr, createKey } from '../../../../src/pki/csr.ts';
import { readCsrKey } from '../../../../src/pki/read-csr.ts';

/** A request for a new key, read by an authority, and a client's certificate for it. */
export function enrol(): string {
  const { certificate, privateKey } = Authority.create('bench');
  const publicKey = readCsrKey(createCsr(createKey(), 'node'));
  const authority = new Authority(certificate, privateKey);
  return authority.sign({ use: 'client', name: 'node', publicKey }, 3_600_000).certificate;
}
