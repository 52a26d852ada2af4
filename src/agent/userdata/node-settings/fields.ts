import type { Diagnostics } from '../../text/diagnostics.ts';
import { Fields, mappings } from '../../text/yaml/fields.ts';
import { describe, type YamlNode } from '../../text/yaml/yaml-node.ts';

/** The fields of a mapping; undefined where there is none, which is an error unless it is null. */
export function section(
  node: YamlNode | undefined,
  what: string,
  diagnostics: Diagnostics,
): Fields | undefined {
  if (node === undefined || node.kind === 'null') return undefined;
  if (node.kind === 'mapping') return new Fields(node, what, diagnostics);
  diagnostics.error('UserDataInvalid', `${what} must be a mapping, not ${describe(node)}.`, node.where);
  return undefined;
}

/** The fields of each mapping of a list. */
export function sections(node: YamlNode | undefined, what: string, diagnostics: Diagnostics): Fields[] {
  if (node === undefined) return [];
  return mappings(node, what, diagnostics).map((item) => new Fields(item, what, diagnostics));
}

/** A URL of http or https without blanks, quotes and what else a configuration file would take for syntax. */
export function url(fields: Fields, name: string): string | undefined {
  const text = fields.text(name);
  if (text === undefined || isUrl(text)) return text;
  fields.wrong(name, `${name} must be a URL such as https://registry.example:5000.`);
  return undefined;
}

function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s"'\\`$%]+$/.test(text.replace(/%[0-9A-Fa-f]{2}/g, '')) && URL.canParse(text);
}

/** Certificates in PEM; a private key in their place is refused. */
export function certificates(fields: Fields, name: string): string | undefined {
  const text = fields.text(name);
  if (text === undefined) return undefined;
  if (/^-----BEGIN CERTIFICATE-----$/m.test(text) && !text.includes('PRIVATE KEY'))
    return text.endsWith('\n') ? text : `${text}\n`;
  fields.wrong(name, `${name} must contain only PEM certificates (-----BEGIN CERTIFICATE-----).`);
  return undefined;
}
