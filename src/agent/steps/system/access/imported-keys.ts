import { sensitive } from '../../../../secrets/sensitive.ts';
import { addressOfKeys, readKeyId } from '../../../document/accounts.ts';
import type { FetchSettings } from '../../../document/document.ts';
import { FetchError, fetchBytes } from '../../../fetch/fetch.ts';
import type { Host } from '../../../host/host.ts';
import { StepError } from '../../../tools/step-error.ts';
import { findAccount } from '../../accounts/files/database.ts';
import { addAuthorizedKeys } from '../../accounts/files/ssh-keys.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

/** What one person may have of keys. */
const MOST_BYTES = 256 * 1024;
const SECONDS = 30;

export interface ImportedKeysSpec {
  users: readonly { name: string; ids: readonly string[] }[];
  proxy?: NonNullable<FetchSettings['proxy']>;
}

/** Lets people in by the public keys that GitHub or Launchpad know of them (cloud-init's `cc_ssh_import_id`). */
export const importKeys: Work<ImportedKeysSpec> = (spec) => ({
  onFailure: 'continue',
  attempts: 3,
  async run({ host, signal }) {
    const result = await attempt(() => importAll(host, spec, signal));
    // A node is not to wait for keys of people until its deadline.
    return !result.done && result.retry === 'until-deadline' ? { ...result, retry: 'yes' } : result;
  },
});

async function importAll(
  host: Host,
  { users, proxy }: ImportedKeysSpec,
  signal: AbortSignal,
): Promise<string> {
  const settings = { authorities: [], totalSeconds: SECONDS, ...(proxy ? { proxy } : {}) };
  const done: string[] = [];
  for (const { name, ids } of users) {
    const account = await findAccount(host, name);
    if (!account)
      throw new StepError('UserNotCreated', `There is no user ${name} whom ssh_import_id could let in`);
    for (const id of ids) {
      const keys = await keysOf(host, id, settings, signal);
      await addAuthorizedKeys(host, account, keys);
      done.push(`${keys.length} of ${id} for ${name}`);
    }
  }
  return done.join(', ');
}

async function keysOf(
  host: Host,
  id: string,
  settings: FetchSettings,
  signal: AbortSignal,
): Promise<string[]> {
  const known = readKeyId(id);
  if (known === undefined) throw new StepError('SystemSettingFailed', `${id} names nobody's SSH keys`);
  const remote = { url: sensitive(addressOfKeys(known)), headers: [], isCompressed: false };
  const text = await fetchBytes(host, remote, { ...settings, isHttpsOnly: true }, MOST_BYTES, signal).catch(
    (error: unknown) => {
      if (!(error instanceof FetchError)) throw error;
      const code = error.refused ? 'ResourceRefused' : 'ResourceNotFetched';
      throw new StepError(code, `The SSH keys of ${id} were not imported: ${error.message}`);
    },
  );
  // Options before a key would be the service's to choose.
  const keys = text
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => /^(?:ssh|ecdsa|sk)-\S+ \S+/.test(line));
  if (keys.length === 0) throw new StepError('ResourceRefused', `${id} has no SSH keys to import`);
  return keys.map((key) => `${key.trim()} # ssh-import-id ${id}`);
}
