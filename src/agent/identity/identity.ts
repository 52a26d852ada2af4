import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { EnrolReply } from '../../protocol/enrolment.ts';
import { IDENTITY_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';

const KEY = `${IDENTITY_DIR}/client.key`;
const CERTIFICATE = `${IDENTITY_DIR}/client.crt`;
const ABOUT = `${IDENTITY_DIR}/about.json`;

/** The machine's key, and the controller's certificate for it. */
export interface Identity {
  key: string;
  certificate: string;
  /** Milliseconds since 1970, by the controller's clock. */
  expiresAt: number;
  /** Absent if an older version stored it. */
  given?: Given;
  /** In PEM, as the controller has named them with it; known only where it has just come. */
  authorities?: string;
  /** False if only this process has it, because the disk has refused it. */
  isStored: boolean;
}

/** A moment by both of this machine's clocks. */
export interface Moment {
  boot: string;
  /** Milliseconds since this boot. */
  mono: number;
  /** Milliseconds since 1970. */
  time: number;
}

/** When this machine got its certificate, and its lifetime. */
interface Given extends Moment {
  lifeMs: number;
}

/** No controller issues a shorter one (`--certificate-ttl`). */
const MIN_LIFE_MS = 60_000;

/**
 * Undefined if the machine has none, its files do not fit together, or it belongs to another instance. Only
 * the controller can tell whether it has expired, because this machine's clock may be wrong.
 */
export async function readIdentity(host: Host, instance: string): Promise<Identity | undefined> {
  const read = async (path: string) => (await host.files.readIfPresent(path, 65_536))?.toString('utf8');
  try {
    const [key, certificate, about] = [await read(KEY), await read(CERTIFICATE), await read(ABOUT)];
    if (key === undefined || certificate === undefined || about === undefined) return undefined;
    // A key inside an image must not make all its machines one.
    const { instance: whose, given } = JSON.parse(about);
    if (whose !== instance) return undefined;
    return { ...identityOf(key, certificate), ...(isGiven(given) ? { given } : {}), isStored: true };
  } catch {
    // Damaged and unreadable files count as missing: the machine enrols again.
    return undefined;
  }
}

/**
 * What the controller has given, not stored yet.
 *
 * @throws Error if the certificate is not for the key
 */
export function newIdentity(key: string, reply: EnrolReply, given: Given): Identity {
  return { ...identityOf(key, reply.certificate), given, authorities: reply.ca, isStored: false };
}

/**
 * Stores it for this instance, readable only by root.
 *
 * @throws HostError if the disk refuses it; then what was there before is there still
 */
export async function storeIdentity(host: Host, instance: string, identity: Identity): Promise<Identity> {
  const { key, certificate, given } = identity;
  const expiresAt = new Date(identity.expiresAt).toISOString();
  const options = { mode: 0o600 };
  await host.files.mkdir(IDENTITY_DIR, 0o700);
  await host.files.writeAll([
    { path: KEY, content: key, options },
    { path: CERTIFICATE, content: certificate, options },
    { path: ABOUT, content: `${JSON.stringify({ instance, expiresAt, given })}\n`, options },
  ]);
  return { ...identity, isStored: true };
}

/**
 * Tells whether two thirds of the lifetime have passed. It counts from the certificate's arrival and not from
 * its own dates: those are backdated, and this machine's clock may be days off or be set meanwhile. Across a
 * boot only that clock remains. If it went back, nobody knows, and asking costs only one request.
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

/** @throws Error if the certificate is not for the key */
function identityOf(key: string, certificate: string): Pick<Identity, 'key' | 'certificate' | 'expiresAt'> {
  const parsed = new X509Certificate(certificate);
  // Every connection would refuse a certificate for another key, in words that nobody understands.
  if (!parsed.checkPrivateKey(createPrivateKey(key)))
    throw new Error("the certificate is not for this machine's key");
  return { key, certificate, expiresAt: Date.parse(parsed.validTo) };
}
