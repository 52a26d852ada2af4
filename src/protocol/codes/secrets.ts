/** Codes for secrets that the user data names instead of holding them: see docs/secrets.md. */

import { type CodeEntry, entry, finding } from './entry.ts';

export const secretCodes = () =>
  ({
    SecretStoreUnreachable: entry(
      'network',
      'until-deadline',
      'A store of secrets cannot be reached, is overloaded, or its answer was cut off.',
      'Check routes, names, proxy and the authority of its certificate from this machine, and whether the store is up and unsealed.',
    ),
    SecretDenied: entry(
      'credentials',
      'transient',
      'A store of secrets does not let this machine have what the user data names.',
      "Give the machine's role, identity or AppRole the right to read just this secret; check the clock where signatures count.",
    ),
    SecretNotFound: entry(
      'credentials',
      'transient',
      'A store has no secret, version or field of the name that the user data gives.',
      'Check name, region, version and field in the reference, and whether something deleted the secret before.',
    ),
    SecretUndecryptable: entry(
      'credentials',
      'permanent',
      'A secret does not open with the keys that this machine has, is damaged, or has another hash than the user data gives.',
      'Check which key it was encrypted for, and copy the whole of it; encrypt it anew if in doubt.',
    ),
    SecretOpenedElsewhere: entry(
      'credentials',
      'permanent',
      'A wrapped secret was opened by somebody else, has expired, or is not the one that the user data names.',
      'See in the audit log of the store who has opened it. If it was not this machine, treat the secret as stolen: revoke it, and wrap a new one; if it has only expired, wrap one that lives longer.',
    ),
    SecretNotDeleted: finding(
      'credentials',
      'A secret that this machine has was not deleted from its store, though the user data asks for it.',
      'Delete it by hand, and give the machine the right to delete it.',
    ),
  }) as const satisfies Record<string, CodeEntry>;
