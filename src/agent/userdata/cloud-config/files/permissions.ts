import type { Fields } from '../../../text/yaml/fields.ts';

/** The mode that cloud-init's write_files uses by default (`DEFAULT_PERMS`). */
const DEFAULT_MODE = 0o644;

/**
 * Mode bits from `permissions`. A string is octal (`'0640'`, `'0o640'`); a number counts as it is, because
 * YAML 1.1 has already read an unquoted 0640 as octal (cloud-init's `decode_perms`). A value that makes no
 * sense is an error; cloud-init would use 0644, but a slip must not make a private key readable.
 */
export function fileMode(fields: Fields): number {
  const node = fields.node('permissions');
  if (node === undefined) return DEFAULT_MODE;
  const value = node.kind === 'int' || node.kind === 'float' ? Math.trunc(Number(node.value)) : undefined;
  const mode = node.kind === 'string' ? octal(node.value) : value;
  if (mode === undefined || !(mode >= 0 && mode <= 0o7777)) {
    fields.wrong('permissions', "permissions must be an octal mode in quotes, such as '0640'.");
    return DEFAULT_MODE;
  }
  if (node.kind === 'int' && /^[1-7][0-7]{2}$/.test(node.text)) {
    const octalMode = mode.toString(8).padStart(4, '0');
    fields.warn(
      'permissions',
      `without quotes and leading zero this is the decimal number ${node.text}, mode ${octalMode}; write '0${node.text}'.`,
    );
  }
  return mode;
}

/** Python's `int(text, 8)`. */
function octal(text: string): number | undefined {
  const match = /^\s*\+?(?:0[oO]_?)?([0-7]+(?:_[0-7]+)*)\s*$/.exec(text);
  return match?.[1] === undefined ? undefined : Number.parseInt(match[1].replaceAll('_', ''), 8);
}
