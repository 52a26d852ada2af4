import { pluralize } from '../../../kit/pluralize.ts';
import type { Sensitive } from '../../../secrets/sensitive.ts';
import { isStillJoined } from '../../kubeadm/repeat/joined.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { StoresSpec } from '../../stores/contract/store.ts';
import type { Work } from '../kind/step-kind.ts';
import { SecretContents } from '../tools/secret-content.ts';

export interface DeletionSpec {
  addresses: Sensitive<string>[];
  stores?: StoresSpec;
  /** Nobody knows whether the user data makes a node: the secrets stay until there is one. */
  ifNode?: true;
}

/**
 * Deletes secrets from their stores, as the last thing: everything that needed them has been done, and they were on the disk. One
 * that stays there is a finding, no failure. One that is gone is deleted.
 */
export const deleteSecrets: Work<DeletionSpec> = ({ addresses, stores, ifNode }) => ({
  onFailure: 'continue',
  ...(ifNode ? { holds: (host) => isStillJoined(host, 'join') } : {}),
  async run({ host, signal, finding }) {
    if (ifNode && !(await isStillJoined(host, 'join')))
      return { done: true, message: 'kept: there is no node' };
    const secrets = new SecretContents(host, stores, signal);
    let deleted = 0;
    try {
      for (const address of addresses) {
        try {
          await secrets.remove(address.reveal());
          deleted += 1;
        } catch (error) {
          if (!(error instanceof SecretError)) throw error;
          if (error.code === 'SecretNotFound') deleted += 1;
          else
            await finding({
              severity: 'warning',
              code: 'SecretNotDeleted',
              message: `Not deleted: ${error.message}`,
            });
        }
      }
    } finally {
      await secrets.close();
    }
    return { done: true, message: `${pluralize(deleted, 'secret')} of ${addresses.length} deleted` };
  },
});
