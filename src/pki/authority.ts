import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { ExpectedError } from '../kit/errors.ts';
import { type CertificateRequest, issue } from './certificate.ts';
import { publicBytes } from './public-bytes.ts';

const DAY_MS = 86_400_000;
/** Clocks of fresh machines are often hours behind, so a certificate is valid from the day before. */
export const BACKDATE_MS = DAY_MS;

/** A certificate authority. It signs the controller's own certificate and those of the machines. */
export class Authority {
  /** Its own certificate, in PEM. */
  readonly certificate: string;
  readonly #name: string;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;

  /** @throws Error if certificate and key do not belong together */
  constructor(certificate: string, privateKey: string) {
    const parsed = new X509Certificate(certificate);
    this.certificate = certificate;
    this.#privateKey = createPrivateKey(privateKey);
    this.#publicKey = createPublicKey(this.#privateKey);
    if (!parsed.checkPrivateKey(this.#privateKey)) {
      throw new ExpectedError("the authority's certificate and key do not match");
    }
    this.#name = /^CN=(.*)$/m.exec(parsed.subject)?.[1] ?? '';
  }

  /** Creates an authority: P-256, valid for ten years. @returns certificate and PKCS#8 key in PEM */
  static create(name: string, now = Date.now()): { certificate: string; privateKey: string } {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const request: CertificateRequest = {
      use: 'authority',
      name,
      publicKey,
      notBefore: new Date(now - BACKDATE_MS),
      notAfter: new Date(now + 3650 * DAY_MS),
    };
    return {
      certificate: issue(request, { name, publicKey, privateKey }),
      privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    };
  }

  /** A certificate for a key that somebody else holds. */
  sign(
    request: Pick<
      CertificateRequest,
      'use' | 'name' | 'organization' | 'hosts' | 'uri' | 'publicKey' | 'serial'
    >,
    validMs: number,
    now = Date.now(),
  ): { certificate: string; expiresAt: Date } {
    // Certificates have no fractions of a second.
    const expiresAt = new Date(Math.floor((now + validMs) / 1000) * 1000);
    const certificate = issue(
      { ...request, notBefore: new Date(now - BACKDATE_MS), notAfter: expiresAt },
      { name: this.#name, publicKey: this.#publicKey, privateKey: this.#privateKey },
    );
    return { certificate, expiresAt };
  }

  /**
   * A certificate of this authority for the key of its successor, which has the same name (RFC 4210, 4.4:
   * "new with old"): who trusts this authority alone believes what the successor signs, too.
   */
  vouchFor(successor: Authority, until: Date, now = Date.now()): string {
    return issue(
      {
        use: 'authority',
        name: this.#name,
        publicKey: successor.#publicKey,
        notBefore: new Date(now - BACKDATE_MS),
        notAfter: until,
      },
      { name: this.#name, publicKey: this.#publicKey, privateKey: this.#privateKey },
    );
  }

  /** Creates a key and a certificate for a server with these names and addresses. */
  server(
    hosts: readonly string[],
    validMs: number,
    now = Date.now(),
  ): { cert: string; key: string; expiresAt: Date } {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { certificate, expiresAt } = this.sign(
      { use: 'server', name: hosts[0] ?? 'slipway-controller', hosts, publicKey },
      validMs,
      now,
    );
    return {
      cert: certificate,
      key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      expiresAt,
    };
  }
}

/** SHA-256 in hex of a public key (SubjectPublicKeyInfo). It identifies the key in whatever certificate. */
export function keyDigest(key: KeyObject): string {
  return createHash('sha256').update(publicBytes(key)).digest('hex');
}
