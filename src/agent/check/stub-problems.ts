import { dataOf } from '../../kit/bytes/data-url.ts';
import type { SealedStub } from '../../protocol/sealed-stub.ts';
import { partDigest } from '../../tpm/sealing/sealed-part.ts';
import type { Diagnostic } from '../document/document.ts';

/** Why a stub of sealed user data would not open on any machine, as far as that can be seen in it. */
export function stubProblems({ expires, part, digest }: SealedStub, now: Date): Diagnostic[] {
  const found: Diagnostic[] = [];
  const error = (code: Diagnostic['code'], message: string) =>
    void found.push({ severity: 'error', code, message });
  if (!(Date.parse(expires) > now.getTime()))
    error('SealedDataExpired', `The sealed user data expired at ${expires}.`);
  const inside = part.startsWith('data:') ? dataOf(part) : undefined;
  if (part.startsWith('data:') && (inside === undefined || partDigest(inside) !== digest))
    error('SealedDataMismatch', 'The sealed part is damaged: its digest is not the one in the stub.');
  return found;
}
