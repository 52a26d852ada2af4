import type { X509Certificate } from 'node:crypto';
import type { BootLogExplainer, Measured } from './boot-log-explainer.ts';
import type { IdentityPolicy } from './identity-policy.ts';
import { registerName } from './registers.ts';
import { Violation } from './violation.ts';

/** How a machine came. */
export type EnrolmentMethod = 'tpm' | 'token' | 'firstUse' | 'claim';

/** Why a machine that came this way cannot be one that these policies select; undefined if it can. */
export function refusedMethod(policies: readonly IdentityPolicy[], way: EnrolmentMethod): string | undefined {
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
export function restrictKeys(policies: readonly IdentityPolicy[]): boolean {
  return policies.some(({ trusted, authorities }) => trusted !== undefined || authorities !== undefined);
}

/** What a machine shows of its TPM's makers. */
export interface PresentedChain {
  /** The endorsement key, as it is named. */
  readonly key: string;
  /** Of the key and of those above it, DER one after the other. */
  readonly certificates: Uint8Array | undefined;
  /** What the machine's address counts as: whose budget it is to verify them. */
  readonly address: string;
}

export interface Chains {
  /**
   * @returns why the certificates do not lead from the key to one of the authorities; undefined where they do
   * @throws Refused where that cannot be said now
   */
  whyUntrusted(shown: PresentedChain, authorities: readonly X509Certificate[]): Promise<string | undefined>;
}

/**
 * @throws Violation if a policy says whom to trust, and this key is not among them
 * @throws Refused where that cannot be said now
 */
export async function checkTrusted(
  policies: readonly IdentityPolicy[],
  shown: PresentedChain,
  chains: Chains,
): Promise<void> {
  const { key } = shown;
  for (const { name, trusted, authorities } of policies) {
    if ((!trusted && !authorities) || trusted?.has(key)) continue;
    const why = authorities ? await chains.whyUntrusted(shown, authorities) : 'it is not in the list';
    if (why === undefined) continue;
    throw new Violation('EndorsementKeyUntrusted', `Policy ${name} does not trust the TPM ${key}: ${why}.`);
  }
}

/** Values of registers in hex, by number. */
type Registers = Readonly<Record<string, string>>;

/** What a machine has booted into. */
interface Booted {
  readonly shown: Registers;
  readonly boot?: BootLogExplainer | undefined;
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
