import type { X509Certificate } from 'node:crypto';
import { endorsementKeyId, readChain, verifyChain } from '../../tpm/evidence/endorsement.ts';
import { ProofError } from '../../tpm/evidence/verify-quote.ts';
import type { BootStory, Measured } from './boot-story.ts';
import type { IdentityPolicy } from './identity-policy.ts';
import { registerName } from './registers.ts';
import { Violation } from './violation.ts';

/** How a machine came. */
export type Way = 'tpm' | 'token' | 'firstUse' | 'claim';

/** Why a machine that came this way cannot be one that these policies select; undefined if it can. */
export function refusedWay(policies: readonly IdentityPolicy[], way: Way): string | undefined {
  for (const { name, method, fallback, firstUse } of policies) {
    if (way === 'claim') return `proves itself, as policy ${name} demands; a claim is not enough`;
    if (method === 'tpm' && way === 'token' && !fallback)
      return `proves itself by its TPM, as policy ${name} demands`;
    if (way === 'firstUse' && !firstUse)
      return `proves itself by a TPM whose key is named, listed or certified, as policy ${name} demands`;
  }
  return undefined;
}

/** @throws Violation if a policy is not valid */
export function checkValid(policies: readonly IdentityPolicy[]): void {
  for (const { name, invalid } of policies) {
    if (invalid !== undefined) throw new Violation('IdentityPolicyInvalid', `Policy ${name}: ${invalid}`);
  }
}

/** Does one of them say whose TPMs count? `checkTrusted` holds each key against all that do. */
export function vouchForKeys(policies: readonly IdentityPolicy[]): boolean {
  return policies.some(({ trusted, authorities }) => trusted !== undefined || authorities !== undefined);
}

/**
 * @param certificates of the key and of those above it, DER one after the other
 * @throws Violation if a policy says whom to trust, and this key is not among them
 */
export function checkTrusted(
  policies: readonly IdentityPolicy[],
  key: string,
  certificates: Uint8Array | undefined,
  now: Date,
): void {
  for (const { name, trusted, authorities } of policies) {
    if ((!trusted && !authorities) || trusted?.has(key)) continue;
    const why = authorities ? unproved(authorities, key, certificates, now) : 'it is not in the list';
    if (why === undefined) continue;
    throw new Violation('EndorsementKeyUntrusted', `Policy ${name} does not trust the TPM ${key}: ${why}.`);
  }
}

function unproved(
  authorities: readonly X509Certificate[],
  key: string,
  certificates: Uint8Array | undefined,
  now: Date,
): string | undefined {
  if (!certificates || certificates.length === 0) return 'it has no certificate of its maker';
  try {
    const [first, ...between] = readChain(certificates);
    if (!first) return 'its certificate is damaged';
    // Certificates are no secret: anybody can show that of another's TPM.
    if (endorsementKeyId(first.publicKey) !== key) return 'the certificate that it shows is of another key';
    verifyChain(first, between, authorities, now);
    return undefined;
  } catch (error) {
    if (error instanceof ProofError) return error.message;
    return 'its certificate is damaged';
  }
}

/** Values of registers in hex, by number. */
type Registers = Readonly<Record<string, string>>;

/** What a machine has booted into. */
interface Booted {
  readonly shown: Registers;
  readonly boot?: BootStory | undefined;
  /** What was measured in the boot that it has to be like. */
  readonly before?: Measured | undefined;
}

/** So many registers are explained; one event of the firmware often changes several. */
const EXPLAINED = 3;

/** @throws Violation which names each register that differs, and what in the boot log made it so */
export function checkRegisters(
  policy: string,
  pcrs: readonly number[],
  { shown, boot, before }: Booted,
  wanted: (pcr: number) => readonly string[],
): void {
  const differ = pcrs.filter((pcr) => !wanted(pcr).includes(shown[pcr] ?? ''));
  if (differ.length === 0) return;
  const why = (pcr: number, at: number): string => (at < EXPLAINED ? (boot?.tell(pcr, before) ?? '') : '');
  const names = differ.map(
    (pcr, at) => `${registerName(pcr)} is ${(shown[pcr] ?? 'absent').slice(0, 16)}…${why(pcr, at)}`,
  );
  throw new Violation(
    'TpmBootStateChanged',
    `The machine did not boot as policy ${policy} wants it: ${names.join('; ')}.`,
  );
}
