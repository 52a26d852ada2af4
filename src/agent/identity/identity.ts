import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { EnrolReply } from '../../protocol/enrolment.ts';
import { IDENTITY_DIR } from '../../protocol/paths.ts';
import { type Host, HostError } from '../host/host.ts';

const KEY = `${IDENTITY_DIR}/client.key`;
const CERTIFICATE = `${IDENTITY_DIR}/client.crt`;
const ABOUT = `${IDENTITY_DIR}/about.json`;

/** The machine's own key and the certificate that the controller gave for it. */
export interface Identity {
  key: string;
  certificate: string;
  /** In milliseconds since 1970. */
  notBefore: number;
  expiresAt: number;
}

/**
 * Undefined where the machine has none, its files do not fit together, or it is another instance's. Whether it has
 * expired only the controller can say: this machine's clock may be wrong.
 */
export async function readIdentity(host: Host, instance: string): Promise<Identity | undefined> {
  const read = async (path: string) => (await host.files.readIfPresent(path, 65_536))?.toString('utf8');
  try {
    const [key, certificate, about] = [await read(KEY), await read(CERTIFICATE), await read(ABOUT)];
    if (key === undefined || certificate === undefined || about === undefined) return undefined;
    // A key that was baked into an image must not make all its machines one.
    if (JSON.parse(about).instance !== instance) return undefined;
    return identityOf(key, certificate);
  } catch {
    // Damaged and unreadable files are as good as none: the machine enrols anew.
    return undefined;
  }
}

/**
 * Keeps them for this instance, readable by root alone. Where the disk does not take them this process has them still.
 *
 * @throws Error where the certificate is not for the key
 */
export async function writeIdentity(
  host: Host,
  instance: string,
  key: string,
  reply: EnrolReply,
): Promise<Identity> {
  const identity = identityOf(key, reply.certificate);
  const options = { mode: 0o600 };
  try {
    await host.files.mkdir(IDENTITY_DIR, 0o700);
    await host.files.writeAll([
      { path: KEY, content: key, options },
      { path: CERTIFICATE, content: reply.certificate, options },
      { path: ABOUT, content: `${JSON.stringify({ instance, expiresAt: reply.expiresAt })}\n`, options },
    ]);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
  return identity;
}

/** A certificate that the controller does not know is of no use; the machine enrols anew. */
export async function forgetIdentity(host: Host): Promise<void> {
  try {
    for (const path of [ABOUT, CERTIFICATE, KEY]) await host.files.remove(path);
  } catch (error) {
    // They stay where the file system is read-only; the new ones are in this process's memory then.
    if (!(error instanceof HostError)) throw error;
  }
}

/** When two thirds of its life have passed. */
export function isDueForRenewal({ notBefore, expiresAt }: Identity, now: number): boolean {
  return now >= notBefore + ((expiresAt - notBefore) * 2) / 3;
}

/** @throws Error where the certificate is not for the key */
function identityOf(key: string, certificate: string): Identity {
  const parsed = new X509Certificate(certificate);
  // A certificate for another key would be refused with every connection, in words that nobody understands.
  if (!parsed.checkPrivateKey(createPrivateKey(key)))
    throw new Error('the certificate is not for the key of this machine');
  return {
    key,
    certificate,
    notBefore: Date.parse(parsed.validFrom),
    expiresAt: Date.parse(parsed.validTo),
  };
}
