import type { KeyObject, X509Certificate } from 'node:crypto';
import type { TpmChannel } from '../../../tpm/channel.ts';
import { readHandles, readProperties } from '../../../tpm/commands/capabilities.ts';
import { type LoadedKey, withPrimary } from '../../../tpm/commands/primary.ts';
import { readNv } from '../../../tpm/commands/read-nv.ts';
import {
  checkCertifies,
  endorsementKeyId,
  readChain,
  readEkCertificate,
} from '../../../tpm/evidence/endorsement.ts';
import { ProofError } from '../../../tpm/evidence/verify-quote.ts';
import { type EcArea, keyOf, type RsaArea } from '../../../tpm/objects/public-area.ts';
import { EK_EC, EK_RSA } from '../../../tpm/objects/templates.ts';
import { TPM_PATH } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { openMachineTpm } from './open-tpm.ts';
import { TpmProblem, toTpmProblem } from './tpm-problem.ts';

/** NV indices of the TCG EK Credential Profile (2.2.1.4): certificates of the keys by templates L-1 and L-2. */
const RSA_CERTIFICATE = 0x01c00002;
const EC_CERTIFICATE = 0x01c0000a;
/** Where vendors put the authorities above it. */
const CHAIN = { first: 0x01c00100, last: 0x01c001ff } as const;

/** The certificate that a vendor put into the TPM, and the template of the key that it is for. */
export interface Endorsement {
  readonly template: RsaArea | EcArea;
  readonly certificate?: X509Certificate;
  /** Certificates of authorities that lie in the TPM too. */
  readonly chain: readonly X509Certificate[];
}

/**
 * Which endorsement key to use: the EC one where its certificate exists, for it costs a slow chip a hundredth; else the RSA
 * one where that has a certificate; else EC without one.
 */
export async function findEndorsement(channel: TpmChannel, pieceBytes: number): Promise<Endorsement> {
  for (const [index, template] of [
    [EC_CERTIFICATE, EK_EC],
    [RSA_CERTIFICATE, EK_RSA],
  ] as const) {
    const content = await readNv(channel, index, pieceBytes);
    if (content)
      return {
        template,
        certificate: readEkCertificate(content),
        chain: await readChains(channel, pieceBytes),
      };
  }
  return { template: EK_EC, chain: [] };
}

async function readChains(channel: TpmChannel, pieceBytes: number): Promise<X509Certificate[]> {
  const indices = (await readHandles(channel, CHAIN.first)).filter((index) => index <= CHAIN.last);
  const contents: Buffer[] = [];
  for (const index of indices) contents.push((await readNv(channel, index, pieceBytes)) ?? Buffer.alloc(0));
  return readChain(Buffer.concat(contents));
}

/**
 * The key that the TPM made has to be the certified one: else somebody sits in between, or the TPM was cleared.
 *
 * @throws TpmProblem
 */
export function checkEndorsement({ certificate }: Endorsement, area: RsaArea | EcArea): KeyObject {
  const key = keyOf(area);
  try {
    if (certificate) checkCertifies(certificate, key);
  } catch (error) {
    if (error instanceof ProofError) throw new TpmProblem('EndorsementKeyMismatch', error.message);
    throw error;
  }
  return key;
}

/** The machine's endorsement key in its TPM. */
export interface MachineEndorsementKey {
  readonly channel: TpmChannel;
  readonly ek: LoadedKey;
  /** `sha256:...`. */
  readonly own: string;
}

/**
 * Does something with the endorsement key, which is the one that its certificate names, in one conversation.
 *
 * @throws TpmProblem
 */
export async function withEndorsementKey<T>(
  host: Host,
  work: (key: MachineEndorsementKey) => Promise<T>,
): Promise<T> {
  const channel = await openMachineTpm(host, TPM_PATH);
  try {
    const { nvBufferBytes } = await readProperties(channel);
    const endorsement = await findEndorsement(channel, nvBufferBytes);
    return await withPrimary(channel, endorsement.template, (ek) =>
      work({ channel, ek, own: endorsementKeyId(checkEndorsement(endorsement, ek.area)) }),
    );
  } catch (error) {
    throw toTpmProblem(error);
  } finally {
    await channel.close();
  }
}
