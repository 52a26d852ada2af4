import type { X509Certificate } from 'node:crypto';
import { pluralize } from '../../kit/pluralize.ts';
import { visible } from '../../kit/terminal/visible.ts';
import { codes } from '../../protocol/codes/codes.ts';
import { createHost } from '../create-host.ts';
import { TPM_PATH } from '../document/paths.ts';
import type { BootState } from '../identity/tpm/boot-log.ts';
import { readTpm, type TpmIdentity } from '../identity/tpm/read-tpm.ts';
import { TpmProblem } from '../identity/tpm/tpm-problem.ts';
import { formatOption, pathOption, requireRoot, withUsageErrors } from './options/options.ts';

const SILENCE_MS = 5_000;

interface IdentityFlags {
  output: string;
  tpm?: string;
}

/** `slipway identity`: 0 if the machine can prove itself by its TPM, 1 if it cannot, 2 if the arguments are wrong. */
export function identityCommand(flags: IdentityFlags): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOption(flags.output);
    const path = flags.tpm === undefined ? TPM_PATH : pathOption('tpm', flags.tpm);
    requireRoot('talk to the TPM', 'slipway identity');
    try {
      const found = await telling(path, () => readTpm(createHost(), path));
      process.stdout.write(format === 'json' ? identityAsJson(found) : identityAsText(found));
      return 0;
    } catch (error) {
      if (!(error instanceof TpmProblem)) throw error;
      const { json, text } = explainProblem(error);
      if (format === 'json') process.stdout.write(json);
      else process.stderr.write(text);
      return 1;
    }
  });
}

/** A TPM answers at once, but for one that is busy or somebody who is none: whoever waits is to know. */
async function telling<T>(path: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    process.stderr.write(`slipway: ${path} does not answer yet; waiting for up to two minutes\n`);
  }, SILENCE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** What the machine can prove, for people. Names in certificates are the maker's, and steer no terminal. */
function identityAsText(found: TpmIdentity): string {
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

function identityAsJson(found: TpmIdentity): string {
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

/** Why the machine cannot prove itself, and what to do. */
function explainProblem({ code, message }: TpmProblem): { text: string; json: string } {
  const { meaning: cause, fix: remedy } = codes()[code];
  const text = `slipway: ${visible(message)} (${code})\n${cause}\n${remedy}\n`;
  return { text, json: `${JSON.stringify({ code, cause: message, remedy }, null, 2)}\n` };
}
