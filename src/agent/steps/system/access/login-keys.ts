import type { Diagnostic } from '../../../document/document.ts';
import type { LoginKeySettings } from '../../../document/system-settings.ts';
import { StepError } from '../../../tools/step-error.ts';
import { keyOf } from '../../accounts/files/authorized-keys.ts';
import { findAccount } from '../../accounts/files/database.ts';
import { addAuthorizedKeys } from '../../accounts/files/ssh-keys.ts';
import { entryAt, type PreviewContext } from '../../kind/preview.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

/** Lets keys log in as the default user, and as root or to be told whom to come as (cloud-init's `apply_credentials`). */
export const authorizeKeys: Work<LoginKeySettings> = ({ keys, defaultUser, rootOptions }) => ({
  onFailure: 'continue',
  run: ({ host, finding }) =>
    attempt(async () => {
      const bad = keys.filter((line) => keyOf(line) === undefined).length;
      if (bad > 0) {
        const message = `${bad} of the SSH keys of the default user and root are no public keys, and let nobody in.`;
        await finding({ severity: 'warning', code: 'AccountSettingIgnored', message });
      }
      const before = rootOptions === '' ? '' : `${rootOptions} `;
      const who: [name: string, lines: string[]][] = [
        ...(defaultUser === undefined ? [] : ([[defaultUser, [...keys]]] as [string, string[]][])),
        ['root', keys.map((key) => (hasOptions(key) ? key : `${before}${key}`))],
      ];
      for (const [name, lines] of who) {
        const account = await findAccount(host, name);
        if (!account)
          throw new StepError('UserNotCreated', `There is no user ${name} whom the SSH keys could let in`);
        await addAuthorizedKeys(host, account, lines);
      }
      return `${keys.length - bad} for ${who.map(([name]) => name).join(' and ')}`;
    }),
});

/** A line with options of its own keeps them, as with cloud-init. */
const hasOptions = (line: string): boolean => !/^(?:ssh-|ecdsa-|sk-|rsa-)/.test(line);

/** Lines that are no keys. */
export async function previewLoginKeys(
  specs: readonly LoginKeySettings[],
  { moment }: PreviewContext,
): Promise<Diagnostic[]> {
  const bad = specs.flatMap(({ keys }) => keys).filter((line) => keyOf(line) === undefined).length;
  if (bad === 0 || moment === 'start') return [];
  const message = `${bad} of the SSH keys of the default user and root are no public keys, and let nobody in.`;
  return [entryAt('warning', undefined, 'AccountSettingIgnored', message)];
}
