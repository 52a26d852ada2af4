import { sensitive } from '../../../../secrets/sensitive.ts';
import { readKeyId } from '../../../document/accounts.ts';
import type { PasswordSettings } from '../../../document/system-settings.ts';
import { Fields, mappings } from '../../../text/yaml/fields.ts';
import { pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { isAccountName, NAME_RULE } from '../accounts/names.ts';
import { fieldsOf, type SystemReader } from './system-reader.ts';

type Entry = PasswordSettings['users'][number];

/** A hash of crypt(3), as cloud-init tells it from a password. */
const HASH = /^\$(?:1|2a|2y|5|6)(?:\$[^:\n]+){2}/;

/** `chpasswd`, or `password` for the default user. */
export const passwords: SystemReader<'passwords'> = {
  name: 'passwords',
  read(find, { report, defaultUser, why }) {
    const single = find('password');
    const fields = fieldsOf(find, 'chpasswd', report);
    const users: Entry[] = [];
    const listed = fields?.node('users');
    if (fields && listed)
      for (const item of mappings(listed, 'chpasswd.users', report))
        users.push(...ofUser(new Fields(item, 'chpasswd.users', report)));
    const lines = fields?.node('list');
    if (fields && lines) users.push(...ofLines(lines, fields));
    const expire = fields?.bool('expire', true) ?? true;
    fields?.finish();
    if (users.length > 0 && single !== undefined)
      report.warn(
        'UserDataIgnoredKey',
        'password has no effect when chpasswd has users; list the default user there.',
        single.where,
      );
    else if (single !== undefined) {
      const password = pythonText(single) ?? '';
      if (defaultUser === undefined)
        report.warn('UserDataIgnoredKey', `password has no effect: ${why}.`, single.where);
      else if (password.includes('\n') || password === '')
        report.error('UserDataInvalid', 'password must be a single line.', single.where);
      else users.push(entry(defaultUser, password));
    }
    return users.length === 0 ? undefined : { users, expire };
  },
};

function ofUser(fields: Fields): Entry[] {
  const name = fields.looseText('name') ?? '';
  const type = fields.text('type') ?? 'hash';
  const password = fields.looseText('password');
  if (!isAccountName(name)) fields.wrong('name', NAME_RULE);
  if (!['hash', 'text', 'RANDOM'].includes(type)) fields.wrong('type', 'type must be hash, text or RANDOM.');
  if (password?.includes('\n')) fields.wrong('password', 'a password must be a single line.');
  fields.finish();
  if (type === 'RANDOM' || password === undefined || password === 'RANDOM') return [{ name, isHash: false }];
  return [{ name, password: sensitive(password), isHash: type === 'hash' }];
}

/** `NAME:PASSWORD` each, in a list or in lines of one text. */
function ofLines(node: YamlNode, fields: Fields): Entry[] {
  const texts =
    node.kind === 'sequence'
      ? fields.texts('list')
      : (pythonText(node) ?? '').split('\n').filter((line) => line.trim() !== '');
  return texts.flatMap((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim();
    if (isAccountName(name) && !line.slice(colon).includes('\n')) return [entry(name, line.slice(colon + 1))];
    fields.wrong('list', 'every line of list must be NAME:PASSWORD.');
    return [];
  });
}

function entry(name: string, password: string): Entry {
  if (password === 'R' || password === 'RANDOM') return { name, isHash: false };
  const isHash = HASH.test(password) && !password.includes(':');
  return { name, password: sensitive(password), isHash };
}

/** `ssh_import_id` at the top level: keys that services on the web know, for the default user. */
export const importedKeys: SystemReader<'importedKeys'> = {
  name: 'importedKeys',
  read(find, { report, defaultUser, why }) {
    const node = find('ssh_import_id');
    if (node === undefined) return undefined;
    const items = node.kind === 'sequence' ? node.items : [node];
    const all = items.map((item) => pythonText(item)?.trim() ?? '');
    const ids = all.filter((id) => readKeyId(id) !== undefined);
    if (ids.length < all.length) {
      const message =
        'ssh_import_id contains an entry that is not a name such as gh:NAME or lp:NAME; it is skipped.';
      report.warn('UserDataIgnoredKey', message, node.where);
    }
    if (ids.length === 0) return undefined;
    if (defaultUser !== undefined) return { name: defaultUser, ids };
    const message = `ssh_import_id has no effect: ${why}.`;
    report.warn('UserDataIgnoredKey', message, node.where);
    return undefined;
  },
};
