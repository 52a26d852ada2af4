import { ExpectedError } from '../../kit/errors.ts';
import type { CertificateFacts } from './facts.ts';
import { forbiddenName } from './names.ts';
import { unusualKey, weakSignature } from './strength.ts';

/** Certificates of authorities in one chain. More would be a labyrinth. */
const MAX_AUTHORITIES = 8;
/** Signatures that are verified for one chain: authorities of the same name each cost one. */
const MAX_SIGNATURES = 16;

/**
 * The way from a certificate to an authority that somebody trusts (RFC 5280, 6): dates, signatures and their strength, who may sign, lengths of
 * paths and constraints of names. Nothing is computed with a key that would cost more than an ordinary one. Policies are not processed; nobody
 * demands one.
 *
 * @param between is believed nothing
 * @param trusted are authorities that count, whoever signed them
 * @returns the certificates from the first one to the trusted authority
 * @throws ExpectedError with what is wrong, as `a certificate of the chain ...`
 */
export function findPath(
  first: CertificateFacts,
  between: readonly CertificateFacts[],
  trusted: readonly CertificateFacts[],
  now: Date,
): CertificateFacts[] {
  const path = [first];
  const signatures = { left: MAX_SIGNATURES };
  checkItself(first, now);
  for (let current = first; path.length <= MAX_AUTHORITIES; ) {
    const authority = issuerOf(current, trusted, signatures, now);
    const next =
      authority ??
      issuerOf(
        current,
        between.filter((one) => !path.includes(one)),
        signatures,
        now,
      );
    if (!next) throw new ExpectedError('it does not lead to a trusted authority');
    checkItself(next, now);
    path.push(next);
    checkLength(path);
    checkNames(path);
    if (authority) return path;
    current = next;
  }
  throw new ExpectedError('the chain is too long');
}

/** The first one whose key made the signature; of several, those whose dates are right count first. */
function issuerOf(
  one: CertificateFacts,
  among: readonly CertificateFacts[],
  signatures: { left: number },
  now: Date,
): CertificateFacts | undefined {
  const named = among.filter(
    (other) => other.isAuthority && other.maySign && one.x509.checkIssued(other.x509),
  );
  if (named.length === 0) return undefined;
  const weak = weakSignature(one);
  if (weak !== undefined) throw wrong(weak);
  const inOrder = [
    ...named.filter((other) => isValidAt(other, now)),
    ...named.filter((other) => !isValidAt(other, now)),
  ];
  for (const other of inOrder) {
    const unusual = unusualKey(other.key);
    if (unusual !== undefined) throw wrong(unusual);
    signatures.left -= 1;
    if (signatures.left < 0) throw new ExpectedError('too many authorities of the chain have the same name');
    if (one.x509.verify(other.x509.publicKey)) return other;
  }
  return undefined;
}

function checkItself(one: CertificateFacts, now: Date): void {
  if (!isValidAt(one, now)) throw wrong(`is not valid at ${now.toISOString()}`);
  const unusual = unusualKey(one.key);
  if (unusual !== undefined) throw wrong(unusual);
  if (one.unknown.length > 0) throw wrong(`has a critical extension that is not known (${one.unknown[0]})`);
}

/** The newest of the path says how many may stand below it; those that an authority gave itself do not count. */
function checkLength(path: readonly CertificateFacts[]): void {
  const limit = path.at(-1)?.pathLength;
  const between = path.slice(1, -1).filter((one) => !isSelfIssued(one)).length;
  if (limit !== undefined && between > limit)
    throw new ExpectedError('the chain is longer than one of its authorities permits');
}

function checkNames(path: readonly CertificateFacts[]): void {
  const newest = path.at(-1);
  if (!newest?.constraints) return;
  for (const [at, below] of path.slice(0, -1).entries()) {
    if (at > 0 && isSelfIssued(below)) continue;
    const why = forbiddenName(newest, below, at === 0);
    if (why !== undefined) throw wrong(why);
  }
}

function isSelfIssued({ subject, issuer }: CertificateFacts): boolean {
  return Buffer.compare(subject.bytes, issuer.bytes) === 0;
}

function isValidAt({ x509 }: CertificateFacts, now: Date): boolean {
  return now >= x509.validFromDate && now <= x509.validToDate;
}

function wrong(what: string): ExpectedError {
  return new ExpectedError(`a certificate of the chain ${what}`);
}
