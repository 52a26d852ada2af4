import type { KernelSettings } from '../../document/node-settings.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { describe, pythonText } from '../../text/yaml/yaml-node.ts';

/**
 * `kernel`: `modules` to load, `sysctls` to set; numbers and booleans are as good as text, for the kernel
 * reads text.
 */
export function readKernel(fields: Fields): KernelSettings {
  const modules = fields.texts('modules');
  if (modules.some((name) => !/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)))
    fields.wrong('modules', 'modules must hold names of kernel modules, such as br_netfilter.');
  const settings = { modules, sysctls: readSysctls(fields) };
  fields.refuseUnknown();
  return settings;
}

/**
 * Names as sysctl(8) has them, with dots; a slash stands for a dot within a name, as in names of interfaces.
 */
const NAME = /^[a-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_/-]+)+$/;

function readSysctls(fields: Fields): Record<string, string> {
  const node = fields.node('sysctls');
  if (node === undefined) return {};
  if (node.kind !== 'mapping') {
    fields.expected('sysctls', node, 'a mapping of names to values');
    return {};
  }
  const found: [string, string][] = [];
  for (const { key, value } of node.entries) {
    const name = pythonText(key) ?? '';
    const text = value.kind === 'bool' ? String(Number(value.value)) : pythonText(value);
    if (!NAME.test(name) || name.includes('..'))
      fields.wrongAt(key.where, 'a name in sysctls must be like net.ipv4.ip_forward.');
    else if (value.kind === 'null' || text === undefined || /[\n\r]/.test(text))
      fields.wrongAt(value.where, `${name} must be one line of text or a number, not ${describe(value)}.`);
    else found.push([name, text.trim()]);
  }
  return Object.fromEntries(found);
}
