import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { EnrolReply } from '../../protocol/enrolment.ts';
import { IDENTITY_DIR } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';

const KEY = `${IDENTITY_DIR}/client.key`;
const CERTIFICATE = `${IDENTITY_DIR}/client.crt`;
const ABOUT = `${IDENTITY_DIR}/about.json`;

/** The machine's own key and the certificate that the controller gave for it. */
export interface Identity {
  key: string;
  certificate: string;
  /** In milliseconds since 1970, by the controller's clock. */
  expiresAt: number;
  /** Absent where it was kept by a version that did not write it down. */
  given?: Given;
}

/** A moment by both clocks of this machine. */
export interface Moment {
  boot: string;
  /** Milliseconds since this boot. */
  mono: number;
  /** Milliseconds since 1970. */
  time: number;
}

/** When this machine got its certificate, and for how long. */
export interface Given extends Moment {
  lifeMs: number;
}

/** No controller gives one for less (`--certificate-ttl`). */
const MIN_LIFE_MS = 60_000;

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
    const { instance: whose, given } = JSON.parse(about);
    if (whose !== instance) return undefined;
    return { ...identityOf(key, certificate), ...(isGiven(given) ? { given } : {}) };
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
  given: Given,
): Promise<Identity> {
  const identity = { ...identityOf(key, reply.certificate), given };
  const options = { mode: 0o600 };
  try {
    await host.files.mkdir(IDENTITY_DIR, 0o700);
    await host.files.writeAll([
      { path: KEY, content: key, options },
      { path: CERTIFICATE, content: reply.certificate, options },
      {
        path: ABOUT,
        content: `${JSON.stringify({ instance, expiresAt: reply.expiresAt, given })}\n`,
        options,
      },
    ]);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
  return identity;
}

/**
 * When two thirds of the time for which it was given have passed. That is measured from when it came, not read from the
 * certificate: it is backdated, and the clock of this machine may be wrong by days or be set meanwhile. Only across a boot
 * there is nothing but that clock; where it went back, nobody knows, and asking costs one request.
 */
export function isDueForRenewal({ given }: Identity, now: Moment): boolean {
  if (!given) return true;
  const passedMs = given.boot === now.boot ? now.mono - given.mono : now.time - given.time;
  return passedMs < 0 || passedMs >= (Math.max(given.lifeMs, MIN_LIFE_MS) * 2) / 3;
}

function isGiven(value: unknown): value is Given {
  if (typeof value !== 'object' || value === null) return false;
  const { boot, mono, time, lifeMs }: Partial<Record<keyof Given, unknown>> = value;
  return typeof boot === 'string' && [mono, time, lifeMs].every(Number.isFinite);
}

/** @throws Error where the certificate is not for the key */
function identityOf(key: string, certificate: string): Pick<Identity, 'key' | 'certificate' | 'expiresAt'> {
  const parsed = new X509Certificate(certificate);
  // A certificate for another key would be refused with every connection, in words that nobody understands.
  if (!parsed.checkPrivateKey(createPrivateKey(key)))
    throw new Error('the certificate is not for the key of this machine');
  return { key, certificate, expiresAt: Date.parse(parsed.validTo) };
}
