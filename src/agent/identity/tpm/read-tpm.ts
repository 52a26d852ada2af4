import { randomBytes, type X509Certificate } from 'node:crypto';
import type { TpmChannel } from '../../../tpm/channel.ts';
import { readBanks, readProperties, type TpmProperties } from '../../../tpm/commands/capabilities.ts';
import { activateCredential } from '../../../tpm/commands/credential.ts';
import { type LoadedKey, withPrimary } from '../../../tpm/commands/primary.ts';
import { quote } from '../../../tpm/commands/quote.ts';
import { readPcrs } from '../../../tpm/commands/read-pcrs.ts';
import { makeCredential } from '../../../tpm/crypto/credential.ts';
import { endorsementKeyId } from '../../../tpm/evidence/endorsement.ts';
import { verifyQuote } from '../../../tpm/evidence/verify-quote.ts';
import type { PcrSelection, PcrValues } from '../../../tpm/objects/pcr-selection.ts';
import { AK } from '../../../tpm/objects/templates.ts';
import { ALG } from '../../../tpm/wire/constants.ts';
import { TPM_PATH } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { type BootState, readBootState } from './boot-log.ts';
import { checkEndorsement, findEndorsement } from './endorsement-key.ts';
import { openMachineTpm } from './open-tpm.ts';
import { TpmProblem, toTpmProblem } from './tpm-problem.ts';

/** Registers of the firmware, the boot loader, the kernel and IMA. Those from 16 on are for debugging and for programs. */
export const BOOT_PCRS: PcrSelection = {
  bank: ALG.sha256,
  pcrs: Array.from({ length: 16 }, (_, pcr) => pcr),
};

/** What this machine can prove by its TPM, tried against itself. */
export interface TpmIdentity {
  readonly properties: TpmProperties;
  /** `sha256:` and the digest of the public key: what an inventory keeps. */
  readonly endorsementKey: string;
  /** PEM; for whoever seals something to this machine. */
  readonly publicKey: string;
  readonly algorithm: 'RSA 2048' | 'EC P-256';
  readonly certificate?: X509Certificate;
  readonly chain: readonly X509Certificate[];
  readonly pcrs: PcrValues;
  /** Undefined: no log. Text: why it cannot be read. */
  readonly boot: BootState | string | undefined;
}

/**
 * Reads the TPM's keys, certificates and registers, and has it answer a challenge: it opens a credential made for its
 * endorsement key, and signs its registers under a nonce. So whoever reads this knows that an enrolment will get that far.
 *
 * @throws TpmProblem
 */
export async function readTpm(host: Host, path = TPM_PATH): Promise<TpmIdentity> {
  try {
    const channel = await openMachineTpm(host, path);
    try {
      return await read(host, channel);
    } finally {
      await channel.close();
    }
  } catch (error) {
    throw toTpmProblem(error);
  }
}

async function read(host: Host, channel: TpmChannel): Promise<TpmIdentity> {
  const properties = await readProperties(channel);
  if (properties.lockedOut)
    throw new TpmProblem(
      'TpmLockedOut',
      `the TPM is locked out after ${properties.lockoutCounter} failed authorizations of ${properties.lockoutLimit}`,
    );
  if (!(await readBanks(channel)).includes(ALG.sha256))
    throw new TpmProblem(
      'TpmFailed',
      'the TPM has no SHA-256 PCR bank: enable it in the firmware, or run tpm2_pcrallocate sha256:all and reboot',
    );
  const endorsement = await findEndorsement(channel, properties.nvBufferBytes);
  return withPrimary(channel, endorsement.template, async (ek) => {
    const key = checkEndorsement(endorsement, ek.area);
    const pcrs = await withPrimary(channel, AK, (ak) => challenge(channel, ek, ak));
    return {
      properties,
      endorsementKey: endorsementKeyId(key),
      publicKey: key.export({ format: 'pem', type: 'spki' }).toString(),
      algorithm: ek.area.type === 'rsa' ? 'RSA 2048' : 'EC P-256',
      ...(endorsement.certificate ? { certificate: endorsement.certificate } : {}),
      chain: endorsement.chain,
      pcrs,
      boot: await readBootState(host, pcrs),
    };
  });
}

/** @returns the registers that the TPM has signed */
async function challenge(channel: TpmChannel, ek: LoadedKey, ak: LoadedKey): Promise<PcrValues> {
  const secret = randomBytes(32);
  const opened = await activateCredential(channel, ek, ak, makeCredential(ek.area, ak.name, secret));
  if (!secret.equals(opened))
    throw new TpmProblem('TpmFailed', 'the TPM decrypted a challenge to the wrong secret');
  const nonce = randomBytes(32);
  const values = await readPcrs(channel, BOOT_PCRS);
  const evidence = { ak: ak.area, ...(await quote(channel, ak, nonce, BOOT_PCRS)), values };
  verifyQuote(evidence, nonce, BOOT_PCRS);
  return values;
}
