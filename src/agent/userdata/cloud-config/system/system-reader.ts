import type { Hostname } from '../../../document/document.ts';
import type { SystemSettings } from '../../../document/system-settings.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import { Fields } from '../../../text/yaml/fields.ts';
import { describe, type YamlNode } from '../../../text/yaml/yaml-node.ts';

/** What a key's reader may look at beside its own keys. */
export interface ReaderContext {
  report: Diagnostics;
  hostname?: Hostname;
  /** The user that `default` in `users` stands for, if it is made. */
  defaultUser?: string;
  /** Why there is none. */
  why: string;
  /** Public keys that the source gives for the default user. */
  publicKeys: readonly string[];
}

/** The value of a top-level key; undefined where it is missing or null. */
export type FindKey = (key: string) => YamlNode | undefined;

/** Reads one member of the settings out of its keys. */
export interface SystemReader<Name extends keyof SystemSettings = keyof SystemSettings> {
  name: Name;
  read(find: FindKey, context: ReaderContext): SystemSettings[Name] | undefined;
}

/** The fields of a key that must be a mapping; undefined if it is missing, or after an error. */
export function fieldsOf(find: FindKey, key: string, diagnostics: Diagnostics): Fields | undefined {
  const node = find(key);
  if (node === undefined) return undefined;
  if (node.kind === 'mapping') return new Fields(node, key, diagnostics);
  diagnostics.error('UserDataInvalid', `${key} must be a mapping, not ${describe(node)}.`, node.where);
  return undefined;
}

/** Is it true in cloud-init's sense (`get_cfg_option_bool`)? */
export function isTrue(node: YamlNode | undefined): boolean {
  if (node === undefined || node.kind === 'null') return false;
  if (node.kind === 'bool') return node.value;
  const text = node.kind === 'string' ? node.value : node.kind === 'int' ? String(node.value) : '';
  return /^\s*(?:true|1|on|yes)\s*$/i.test(text);
}
