import type { X509Certificate } from 'node:crypto';
import { pluralize } from '../../../kit/pluralize.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import type { BootState } from '../../identity/tpm/boot-log.ts';
import type { TpmIdentity } from '../../identity/tpm/read-tpm.ts';

/** What the machine can prove, for people. Names in certificates are the maker's, and steer no terminal. */
export function identityAsText(found: TpmIdentity): string {
  const { properties: tpm, certificate, pcrs } = found;
  const firmware = `${tpm.manufacturer} ${tpm.model}, firmware ${tpm.firmware}`;
  const rows = [
    ['TPM', `${firmware}; ${tpm.lockoutCounter} of ${tpm.lockoutLimit} failed authorizations`],
    ['Endorsement key', `${found.endorsementKey} (${found.algorithm})`],
    ['Certificate', certificate ? certificateWords(certificate, found.chain.length) : 'none in the TPM'],
    ['Proof', 'it opened a challenge made for this key, and signed its registers'],
    ['Boot log', bootWords(found.boot)],
    ...[...pcrs].map(([pcr, value]) => [`PCR ${pcr}`, `sha256:${hex(value)}${mark(pcr, found.boot)}`]),
  ];
  return rows.map(([name = '', text = '']) => `${name.padEnd(17)}${visible(text)}\n`).join('');
}

export function identityAsJson(found: TpmIdentity): string {
  const { properties, certificate, boot } = found;
  const value = {
    tpm: {
      manufacturer: properties.manufacturer,
      model: properties.model,
      firmware: properties.firmware,
      lockout: { counter: properties.lockoutCounter, limit: properties.lockoutLimit },
    },
    endorsementKey: found.endorsementKey,
    algorithm: found.algorithm,
    publicKey: found.publicKey,
    ...(certificate
      ? {
          certificate: {
            issuer: certificate.issuer,
            serial: certificate.serialNumber,
            notBefore: certificate.validFromDate.toISOString(),
            notAfter: certificate.validToDate.toISOString(),
            pem: certificate.toString(),
          },
        }
      : {}),
    chain: found.chain.map((one) => one.toString()),
    pcrs: { sha256: Object.fromEntries([...found.pcrs].map(([pcr, bytes]) => [pcr, hex(bytes)])) },
    ...(boot === undefined ? {} : { bootLog: typeof boot === 'string' ? { error: boot } : boot }),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

function certificateWords(certificate: X509Certificate, chain: number): string {
  const issuer = certificate.issuer.replaceAll('\n', ', ') || 'an issuer without a name';
  const end = certificate.validToDate.toISOString().slice(0, 10);
  const above = chain === 0 ? '' : `; ${pluralize(chain, 'certificate')} of its chain in the TPM`;
  return `by ${issuer}, serial ${certificate.serialNumber}, until ${end}${above}`;
}

function bootWords(boot: BootState | string | undefined): string {
  if (boot === undefined) return 'the firmware left none';
  if (typeof boot === 'string') return `cannot be read: ${boot}`;
  const secure = boot.secureBoot === undefined ? '' : `; secure boot is ${boot.secureBoot ? 'on' : 'off'}`;
  const differs = boot.differs.length === 0 ? '' : `, differs from PCR ${boot.differs.join(' ')}`;
  return `${pluralize(boot.events, 'event')}, agrees with PCR ${boot.agrees.join(' ')}${differs}${secure}`;
}

/** Text beside a register that the log contradicts. */
function mark(pcr: number, boot: BootState | string | undefined): string {
  return typeof boot === 'object' && boot.differs.includes(pcr) ? ' (the boot log says another value)' : '';
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
