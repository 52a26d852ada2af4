import { quoted } from '../../../text/shell-word.ts';
import type { KubeadmUnit } from './unit.ts';

/**
 * Reads a file as systemd's EnvironmentFile: a setting on a line, in quotes or not, `#` and `;` begin a
 * comment. A file that is missing ends the script, as it would keep the unit from starting, unless its name
 * begins with "-" or is a pattern.
 */
const READ_FILE = `__slipway_environment() {
  local __slipway_line
  while IFS= read -r __slipway_line || [ -n "$__slipway_line" ]; do
    __slipway_line=\${__slipway_line#"\${__slipway_line%%[![:space:]]*}"}
    __slipway_line=\${__slipway_line%"\${__slipway_line##*[![:space:]]}"}
    [[ $__slipway_line =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || continue
    local __slipway_value=\${__slipway_line#*=}
    case $__slipway_value in
      \\"*\\") __slipway_value=\${__slipway_value#?} __slipway_value=\${__slipway_value%?} ;;
      \\'*\\') __slipway_value=\${__slipway_value#?} __slipway_value=\${__slipway_value%?} ;;
    esac
    export "\${__slipway_line%%=*}=$__slipway_value"
  done <"$1"
}`;

/** Lines of bash that give the shell, and kubeadm with it, the environment that the unit would have had. */
export function environmentLines(settings: KubeadmUnit['environment']): string[] {
  const hasFile = settings.some(({ name, value }) => name === 'EnvironmentFile' && value !== '');
  const lines = settings.flatMap(({ name, value }) =>
    name === 'Environment' ? assignments(value) : fileLines(value),
  );
  return hasFile ? [READ_FILE, ...lines] : lines;
}

function fileLines(value: string): string[] {
  if (value === '') return [];
  const optional = value.startsWith('-');
  const path = optional ? value.slice(1) : value;
  if (/[*?[]/.test(path)) {
    const pattern = path.split(/([*?[\]])/).map((part) => (/^[*?[\]]$/.test(part) ? part : quoted(part)));
    const each = '[ ! -f "$__slipway_file" ] || __slipway_environment "$__slipway_file"';
    return [`for __slipway_file in ${pattern.join('')}; do ${each}; done`];
  }
  const read = `__slipway_environment ${quoted(path)}`;
  return [optional ? `[ ! -f ${quoted(path)} ] || ${read}` : read];
}

/** `A=b "C=d e"`: words by systemd's quoting. */
function assignments(value: string): string[] {
  const words = value.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+/g) ?? [];
  return words.flatMap((word) => {
    const bare = /^(["']).*\1$/s.test(word) ? word.slice(1, -1).replace(/\\(["\\])/g, '$1') : word;
    const [, name = '', text = ''] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(bare) ?? [];
    return name === '' ? [] : [`export ${name}=${quoted(text)}`];
  });
}
