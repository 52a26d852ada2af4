import { pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { fieldsOf, isTrue, type SystemReader } from './system-reader.ts';

/** `resolv_conf`, which counts where `manage_resolv_conf` is true. */
export const resolver: SystemReader<'resolver'> = {
  name: 'resolver',
  read(find, { report }) {
    const isManaged = isTrue(find('manage_resolv_conf'));
    const fields = fieldsOf(find, 'resolv_conf', report);
    if (fields === undefined) return undefined;
    if (!isManaged) {
      fields.warn('resolv_conf', 'it has no effect without manage_resolv_conf: true.');
      return undefined;
    }
    const words = (name: string): string[] => {
      const found = fields.texts(name, true);
      if (!found.every((word) => WORD.test(word))) fields.wrong(name, `${name} must contain single words.`);
      return found;
    };
    const domain = fields.looseText('domain');
    if (domain !== undefined && !WORD.test(domain)) fields.wrong('domain', 'domain must be a single word.');
    const settings = {
      servers: words('nameservers'),
      search: words('searchdomains'),
      ...(domain === undefined ? {} : { domain }),
      sortlist: words('sortlist'),
      options: optionsOf(fields.node('options'), (message) => fields.wrong('options', message)),
    };
    fields.finish();
    return settings;
  },
};

const WORD = /^[^\s#;]+$/;

/** A boolean is a flag, everything else a value. */
function optionsOf(node: YamlNode | undefined, wrong: (message: string) => void): string[] {
  if (node === undefined) return [];
  if (node.kind !== 'mapping') {
    wrong('options must be a mapping.');
    return [];
  }
  const flags: string[] = [];
  const values: string[] = [];
  for (const { key, value } of node.entries) {
    const name = pythonText(key) ?? '';
    const text = pythonText(value);
    if (!WORD.test(name) || text === undefined) wrong('options must contain single words.');
    else if (value.kind !== 'bool') values.push(`${name}:${text}`);
    else if (value.value) flags.push(name);
  }
  return [...flags, ...values.sort()];
}
