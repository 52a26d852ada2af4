import { readKeyId } from '../../../document/key-id.ts';
import { pythonText } from '../../../text/yaml/yaml-node.ts';
import type { SystemReader } from './system-reader.ts';

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
      const message = 'ssh_import_id holds what is no name such as gh:NAME or lp:NAME; it is left out.';
      report.warn('UserDataIgnoredKey', message, node.where);
    }
    if (ids.length === 0) return undefined;
    if (defaultUser !== undefined) return { name: defaultUser, ids };
    const message = `ssh_import_id lets nobody in: ${why}.`;
    report.warn('UserDataIgnoredKey', message, node.where);
    return undefined;
  },
};
