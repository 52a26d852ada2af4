/** Codes for secrets that the user data names instead of holding them: see docs/secrets.md. */
import { tableOf } from './entry.ts';

export const secretCodes = () =>
  tableOf({
    SecretStoreUnreachable: {
      category: 'network',
      persistence: 'until-deadline',
      meaning: 'A secret store cannot be reached, is overloaded, or its answer was cut off.',
      impact: 'The steps that need the secret wait; Slipway retries until its deadline.',
      fix: 'Check routes, DNS, proxy and the CA of its certificate from this machine, and whether the store is up and unsealed.',
      check: "Send a request to the store's URL with curl on this machine: it answers without a TLS error.",
      cure: { who: 'cloud', why: 'The store and the network to it fail for each machine.' },
    },
    SecretDenied: {
      category: 'credentials',
      persistence: 'transient',
      meaning: 'A secret store denies this machine access to a secret in the user data.',
      impact:
        'The secret stays unread; Slipway retries until its deadline, because permissions often arrive late.',
      fix: "Grant the machine's role, identity or AppRole read access to this secret only; check the clock if requests are signed.",
      check: "Read the secret with the store's own client under the same role: it is returned.",
      cure: { who: 'cloud', why: 'The role and its permissions belong to the store or the cloud account.' },
    },
    SecretNotFound: {
      category: 'credentials',
      persistence: 'transient',
      meaning: 'A secret store has no secret, version or field with the name in the user data.',
      impact: 'The steps that need it wait; Slipway retries until its deadline.',
      fix: 'Check name, region, version and field in the reference, and whether the secret was deleted earlier.',
      check: "List the secret with the store's own client: name, version and field match the reference.",
      cure: {
        who: 'template',
        why: 'The reference is in the template, and each machine asks for the same name.',
      },
    },
    SecretUndecryptable: {
      category: 'credentials',
      persistence: 'permanent',
      meaning:
        "A secret cannot be decrypted with this machine's keys, is damaged, or does not match the hash in the user data.",
      impact: 'Slipway uses no unverified secret and stops at once.',
      fix: 'Check for which key it was encrypted, and copy it completely; if in doubt, encrypt it again.',
      check: 'Decrypt it with the intended key by hand: the result has the hash in the user data.',
      cure: { who: 'template', why: 'The encrypted text and its hash are in the template.' },
    },
    SecretOpenedElsewhere: {
      category: 'credentials',
      persistence: 'permanent',
      meaning:
        'A wrapped secret was opened by another client, has expired, or is not the one named in the user data.',
      impact: 'The secret may be known to a third party; Slipway does not use it and stops at once.',
      fix: "Check in the store's audit log which client opened it. If it was not this machine, treat the secret as stolen: revoke it and wrap a new one. If it has only expired, wrap one with a longer lifetime.",
      check:
        "Look up the new wrapping token with the store's client (vault token lookup): it is valid and has not been used.",
      cure: {
        who: 'template',
        why: 'The wrapped secret in the user data works only once, so replacements with the same user data fail too.',
      },
    },
    SecretNotDeleted: {
      category: 'credentials',
      persistence: 'permanent',
      meaning:
        'A secret that this machine has read was not deleted from its store, although the user data requires it.',
      impact: 'The bootstrap continues, but the secret remains readable in the store.',
      fix: 'Delete it by hand, and grant the machine permission to delete it.',
      check: "Read the secret with the store's own client: the store reports that it does not exist.",
      cure: { who: 'cloud', why: 'The permission belongs to the store or the cloud account.' },
      onlyFinding: true,
    },
  });
