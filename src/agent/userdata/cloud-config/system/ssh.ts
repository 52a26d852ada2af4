import { omitUndefined } from '../../../../kit/json.ts';
import { sensitive } from '../../../../secrets/sensitive.ts';
import { HOST_KEY_TYPES, type HostKeySettings, type SaidLogin } from '../../../document/system-settings.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import type { Fields } from '../../../text/yaml/fields.ts';
import { pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { completeLogin } from '../../instance/public-keys.ts';
import { REDIRECT_OPTIONS, redirectOptions } from '../accounts/redirected-login.ts';
import { type FindKey, fieldsOf, isTrue, type SystemReader } from './system-reader.ts';

/**
 * `ssh_keys`, `ssh_deletekeys`, `ssh_genkeytypes`: the host's keys. cloud-init makes new ones for every instance; Slipway
 * touches them only where the user data or the image ask for it, because images without cloud-init have their own way.
 */
export const hostKeys: SystemReader<'hostKeys'> = {
  name: 'hostKeys',
  read(find, { report: diagnostics }) {
    find('ssh_quiet_keygen');
    const [deletes, types] = [find('ssh_deletekeys'), find('ssh_genkeytypes')];
    const fields = fieldsOf(find, 'ssh_keys', diagnostics);
    const replaces = isTrue(deletes) || (deletes === undefined && fields !== undefined);
    if (fields === undefined && types === undefined && !replaces) return undefined;
    const given = fields === undefined ? [] : givenKeys(fields);
    const made = types === undefined ? [...HOST_KEY_TYPES] : typesOf(types);
    if (made.some((type) => !/^[a-z0-9-]+$/.test(type)))
      diagnostics.error(
        'UserDataInvalid',
        'ssh_genkeytypes must contain key types such as ed25519.',
        types?.where,
      );
    return { replaces, given, made: fields === undefined ? made : [] };

    function typesOf(node: YamlNode): string[] {
      const items = node.kind === 'sequence' ? node.items : [node];
      return items.map((item) => pythonText(item) ?? '');
    }
  },
};

function givenKeys(fields: Fields): HostKeySettings['given'] {
  const found = HOST_KEY_TYPES.map((type) => {
    const [privateKey, publicKey, certificate] = ['private', 'public', 'certificate'].map((part) =>
      fields.text(`${type}_${part}`),
    );
    return {
      type,
      ...(privateKey === undefined ? {} : { privateKey: sensitive(privateKey) }),
      ...omitUndefined({ publicKey, certificate }),
    };
  });
  fields.finish();
  return found.filter((entry) => Object.keys(entry).length > 1);
}

/**
 * `ssh_authorized_keys` at the top level, and what stands before root's keys. The source's public keys count beside them, where
 * nothing forbids it.
 */
export function readSaidLogin(
  find: FindKey,
  diagnostics: Diagnostics,
  defaultUser: string | undefined,
): SaidLogin {
  const [node, disable, options] = ['ssh_authorized_keys', 'disable_root', 'disable_root_opts'].map(find);
  const allowed = find('allow_public_ssh_keys');
  const own = node === undefined ? [] : keyLines(node);
  if (own === undefined)
    diagnostics.error('UserDataInvalid', 'ssh_authorized_keys must be a list of public keys.', node?.where);
  const isDisabled = disable === undefined || isTrue(disable);
  const text = (options && pythonText(options)) ?? REDIRECT_OPTIONS;
  if (text.includes('\n'))
    diagnostics.error('UserDataInvalid', 'disable_root_opts must be a single line.', options?.where);
  const before = redirectOptions(text, 'root', defaultUser ?? 'NONE');
  return {
    ...(allowed === undefined || isTrue(allowed) ? { fromMetadata: true } : {}),
    keys: [...new Set(own ?? [])],
    ...(defaultUser === undefined ? {} : { defaultUser }),
    rootOptions: isDisabled ? before : '',
  };
}

/**
 * `ssh_authorized_keys` at the top level, and the source's public keys: for the default user, and for root with
 * `disable_root: false`; else root's login tells whom to come as.
 */
export const loginKeys: SystemReader<'loginKeys'> = {
  name: 'loginKeys',
  read(find, { report: diagnostics, defaultUser, why, publicKeys }) {
    const said = readSaidLogin(find, diagnostics, defaultUser);
    const login = completeLogin(said, publicKeys);
    if (login === undefined) return undefined;
    if (defaultUser === undefined && said.rootOptions !== '') {
      const whose = said.keys.length > 0 ? 'ssh_authorized_keys' : "The metadata's public keys";
      const message = `${whose} have no effect: root login is disabled (disable_root), and ${why}.`;
      diagnostics.warn('UserDataIgnoredKey', message, find('ssh_authorized_keys')?.where);
    }
    return login;
  },
};

/** Null stands for a key that was the empty string. */
function keyLines(node: YamlNode): string[] | undefined {
  const items = node.kind === 'sequence' ? node.items : [node];
  const texts = items.filter(({ kind }) => kind !== 'null').map((item) => pythonText(item));
  if (texts.some((text) => text === undefined)) return undefined;
  return texts
    .flatMap((text = '') => text.split('\n').map((line) => line.trim()))
    .filter((line) => line !== '');
}

/** `ssh_pwauth`: may people log in with a password? Anything but yes and no leaves it as it is. */
export const passwordLogin: SystemReader<'passwordLogin'> = {
  name: 'passwordLogin',
  read(find, { report: diagnostics }) {
    const node = find('ssh_pwauth');
    const text = node && pythonText(node)?.trim();
    if (node === undefined || text === undefined || text === '' || text.toLowerCase() === 'unchanged')
      return undefined;
    if (isTrue(node)) return { allowed: true };
    if (/^(?:false|0|off|no)$/i.test(text)) return { allowed: false };
    diagnostics.error('UserDataInvalid', 'ssh_pwauth must be true, false or unchanged.', node.where);
    return undefined;
  },
};
