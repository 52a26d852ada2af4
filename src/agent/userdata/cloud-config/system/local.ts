import { isAbsolute } from 'node:path/posix';
import { printable } from '../../../text/diagnostics.ts';
import { pythonText } from '../../../text/yaml/yaml-node.ts';
import { fieldsOf, isTrue, type SystemReader } from './system-reader.ts';

/** What is written into files that a shell reads. */
const PLAIN = /^[\w.,:;@+/ -]*$/;

export const timezone: SystemReader<'timezone'> = {
  name: 'timezone',
  read(find, { report: diagnostics }) {
    const node = find('timezone');
    const name = node && pythonText(node)?.trim();
    if (node === undefined || name === '' || name === 'False') return undefined;
    if (name !== undefined && /^[A-Za-z0-9_+-]+(?:\/[A-Za-z0-9_+-]+)*$/.test(name)) return { name };
    diagnostics.error(
      'UserDataInvalid',
      'timezone must name a file under /usr/share/zoneinfo, such as Europe/Berlin.',
      node.where,
    );
    return undefined;
  },
};

/** `false` leaves the image's. */
export const locale: SystemReader<'locale'> = {
  name: 'locale',
  read(find, { report: diagnostics }) {
    const [node, fileNode] = [find('locale'), find('locale_configfile')];
    if (node === undefined || (node.kind === 'bool' && !node.value)) return undefined;
    const name = pythonText(node)?.trim() ?? '';
    const file = fileNode && pythonText(fileNode);
    if (!/^[A-Za-z0-9_.@-]+$/.test(name)) {
      diagnostics.error('UserDataInvalid', 'locale must name a locale, such as en_US.UTF-8.', node.where);
      return undefined;
    }
    if (file !== undefined && !isAbsolute(file)) {
      diagnostics.error('UserDataInvalid', 'locale_configfile must be an absolute path.', fileNode?.where);
      return undefined;
    }
    // cloud-init makes the same one, and update-locale then refuses the name.
    if (/^[a-z]+_[A-Z]+$/.test(name)) {
      const message = `locale names no character set: Debian generates ${name}.UTF-8, not a locale of this name; write ${name}.UTF-8.`;
      diagnostics.warn('UserDataInvalid', message, node.where);
    }
    return { name, ...(file ? { file } : {}) };
  },
};

export const keyboard: SystemReader<'keyboard'> = {
  name: 'keyboard',
  read(find, { report: diagnostics }) {
    const fields = fieldsOf(find, 'keyboard', diagnostics);
    if (fields === undefined) return undefined;
    const word = (name: string, otherwise: string): string => {
      const text = fields.looseText(name) ?? otherwise;
      if (!PLAIN.test(text)) fields.wrong(name, `${name} contains an invalid character.`);
      return text;
    };
    const settings = {
      layout: word('layout', ''),
      model: word('model', 'pc105'),
      variant: word('variant', ''),
      options: word('options', ''),
    };
    if (settings.layout === '') fields.wrong('layout', 'layout is missing.');
    fields.finish();
    return settings;
  },
};

/** `true` or `template`: the whole file; `localhost`: a line for the own name. */
export const hosts: SystemReader<'hosts'> = {
  name: 'hosts',
  read(find, { report: diagnostics, hostname }) {
    const node = find('manage_etc_hosts');
    if (node === undefined) return undefined;
    const text = pythonText(node)?.trim() ?? '';
    const how = text === 'localhost' ? 'entry' : isTrue(node) || text === 'template' ? 'whole' : undefined;
    if (how === undefined && !/^(?:false|0|off|no|)$/i.test(text)) {
      const message = `manage_etc_hosts must be true, false or localhost, not ${printable(text)}.`;
      diagnostics.error('UserDataInvalid', message, node.where);
    }
    if (how === undefined) return undefined;
    if (hostname !== undefined) return { how, hostname };
    const message = 'manage_etc_hosts has no effect: neither user data nor metadata sets a hostname.';
    diagnostics.warn('UserDataIgnoredKey', message, node.where);
    return undefined;
  },
};
