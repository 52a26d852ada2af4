import type { PackageSettings } from '../../../document/system-settings.ts';
import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import { pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { isTrue, type SystemReader } from './system-reader.ts';

/** Package managers of whole distributions, by the names that `packages` may give its lists. */
const NATIVE: readonly string[] = ['apt', 'dnf', 'yum', 'zypper', 'tdnf'];
/** A name that no program takes for an option. */
const NAME = /^[A-Za-z0-9@(/][^\s'"`$;&|<>\\]{0,254}$/;

/** `packages`, `package_update`, `package_upgrade`, `package_reboot_if_required`, and their old names with `apt_`. */
export const packages: SystemReader<'packages'> = {
  name: 'packages',
  read(find, { report: diagnostics }) {
    const [refresh, upgrade, reboots] = ['update', 'upgrade', 'reboot_if_required'].map((what) =>
      [`package_${what}`, `apt_${what}`].map(find).some(isTrue),
    ) as [boolean, boolean, boolean];
    const node = find('packages');
    const wanted = node === undefined ? [] : itemsOf(node).flatMap((item) => read(item, diagnostics));
    if (wanted.length === 0 && !refresh && !upgrade) return undefined;
    return { refresh: refresh || upgrade, upgrade, wanted, reboots };
  },
};

const itemsOf = (node: YamlNode): readonly YamlNode[] => (node.kind === 'sequence' ? node.items : [node]);

function read(item: YamlNode, diagnostics: Diagnostics): PackageSettings['wanted'] {
  if (item.kind === 'mapping')
    return item.entries.flatMap(({ key, value }) => {
      const manager = pythonText(key) ?? '';
      if (NATIVE.includes(manager)) return itemsOf(value).flatMap((inner) => read(inner, diagnostics));
      const message = `packages: ${printable(manager)} is not a package manager that Slipway supports; its packages are skipped.`;
      diagnostics.warn('UserDataIgnoredKey', message, key.where);
      return [];
    });
  const [name, version, ...more] = item.kind === 'sequence' ? item.items.map(pythonText) : [pythonText(item)];
  const isFine =
    name !== undefined &&
    NAME.test(name) &&
    (version === undefined || NAME.test(version)) &&
    more.length === 0;
  if (isFine) return [{ name, ...(version === undefined ? {} : { version }) }];
  diagnostics.error(
    'UserDataInvalid',
    'packages: every item must be a package name, or a list of a name and a version.',
    item.where,
  );
  return [];
}
