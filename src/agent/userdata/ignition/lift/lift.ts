import { sensitive } from '../../../../secrets/sensitive.ts';
import type { Command, Document, FileEntry, KubeadmCommand, UnitEntry } from '../../../document/document.ts';
import { mentionsKubeadmBootstrap } from '../../../kubeadm/config/invocation.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import { quoted } from '../../../text/shell-word.ts';
import { type LiftedKubeadm, liftKubeadm } from '../../cloud-config/commands/lift.ts';
import { type KubeadmUnit, readKubeadmUnit } from './unit.ts';

const UNIT = 'kubeadm.service';
const SCRIPT = '/etc/kubeadm.sh';
const BASH = '/bin/bash';

type Lifted = Pick<Document, 'files' | 'units' | 'commands'> &
  Partial<Pick<Document, 'shell' | 'kubeadmUnit'>>;

/**
 * Takes over what Cluster API's kubeadm provider leaves to systemd with Ignition: the unit `kubeadm.service`,
 * which runs `/etc/kubeadm.sh` once. Its commands and its call of kubeadm become the document's; neither unit
 * nor script is written, so nothing calls kubeadm a second time. A unit that does more stays as it is and is
 * started when everything else is done.
 */
export function liftKubeadmUnit(files: FileEntry[], units: UnitEntry[], diagnostics: Diagnostics): Lifted {
  const own = units.filter(({ name }) => name === UNIT);
  const written = files.filter(({ path }) => path === SCRIPT);
  const [script] = written;
  const isCalled = own.some(({ enabled }) => enabled === true) && own.some(({ content }) => content);
  if (!isCalled || own.some(({ masked }) => masked)) return { files, units, commands: [] };
  const answer =
    written.length === 1 && script ? takeOver(own, script) : { problem: `there is no ${SCRIPT}` };
  if (!('problem' in answer)) {
    return {
      ...answer,
      files: files.filter((file) => file !== script),
      units: units.filter(({ name }) => name !== UNIT),
    };
  }
  const texts = [...own.flatMap(({ content }) => content?.reveal() ?? []), ...written.map(textOf)];
  if (!texts.some(mentionsKubeadmBootstrap)) return { files, units, commands: [] };
  const where = script?.where ?? own[0]?.where;
  const message = `${UNIT} calls kubeadm itself: Slipway starts it once and waits for the node, but does not retry the call, because ${answer.problem}.`;
  diagnostics.warn('KubeadmNotTakenOver', message, where);
  const start: Command = {
    kind: 'command',
    shell: sensitive(`systemctl start ${UNIT}`),
    program: 'systemctl',
    ...(where ? { where } : {}),
  };
  return { files, units, commands: [start] };
}

function textOf({ content }: FileEntry): string {
  return Buffer.from(content.reveal()).toString('utf8');
}

function takeOver(
  own: readonly UnitEntry[],
  script: FileEntry,
): Omit<Lifted, 'files' | 'units'> | { problem: string } {
  const unit = readKubeadmUnit(own);
  if ('problem' in unit) return unit;
  const parts = parseKubeadmScript(textOf(script));
  if (parts === undefined) return { problem: `${SCRIPT} is not Cluster API's` };
  return { commands: commandsOf(parts, unit, script), shell: BASH, kubeadmUnit: unit.needs };
}

function commandsOf(
  { before, call, after }: KubeadmScript,
  { environment }: KubeadmUnit,
  { where }: FileEntry,
): (Command | KubeadmCommand)[] {
  const place = where ? { where } : {};
  const settings = environmentLines(environment);
  const command = (lines: string[], program: string): Command => ({
    kind: 'command',
    // The script runs under `set -e`: after a command that fails, no other is run, and no kubeadm.
    shell: sensitive(['set -e', ...lines].join('\n')),
    program,
    ...place,
  });
  const { args, ...rest } = call;
  return [
    ...(settings.length > 0 || hasEffect(before)
      ? [command([...settings, before], 'preKubeadmCommands')]
      : []),
    { kind: 'kubeadm', ...rest, args: sensitive(args), ...place },
    ...(hasEffect(after) ? [command([after], 'postKubeadmCommands')] : []),
  ];
}

/** `kubeadm.sh` of Cluster API, taken apart. */
interface KubeadmScript {
  /** What runs before kubeadm, without its first line. */
  before: string;
  call: LiftedKubeadm;
  /** From 0. */
  callLine: number;
  /** What runs after kubeadm and the sentinel. */
  after: string;
}

const FIRST_LINE = /^#! *(?:\/usr)?\/bin\/(?:env +)?bash *$/;
const SENTINEL_LINE = /^(?:mkdir -p \S+ && )?echo success > (\/[A-Za-z0-9_./-]+)$/;

/**
 * Takes apart the script that Cluster API's kubeadm provider writes (its template `kubeadm.sh` for
 * Ignition): commands, the call of kubeadm, the line of the sentinel, more commands.
 *
 * @returns undefined for a script that is not certainly this one
 */
function parseKubeadmScript(text: string): KubeadmScript | undefined {
  const lines = text.split('\n');
  if (!FIRST_LINE.test(lines[0] ?? '')) return undefined;
  const calls = lines.flatMap((line, index) => {
    const call = liftKubeadm(line);
    return call === undefined ? [] : [{ call, index }];
  });
  const [only, ...others] = calls;
  if (only === undefined || others.length > 0) return undefined;
  const sentinel = SENTINEL_LINE.exec(lines[only.index + 1] ?? '')?.[1];
  const rest = lines.slice(only.index + (sentinel === undefined ? 1 : 2));
  // Without the line behind it, success is told by kubeadm's line itself, or by nobody.
  const call = sentinel === undefined ? only.call : { ...only.call, sentinel };
  return {
    before: lines.slice(1, only.index).join('\n'),
    call,
    callLine: only.index,
    after: rest.join('\n'),
  };
}

/** Does a piece of the script do anything at all? */
function hasEffect(text: string): boolean {
  return text.split('\n').some((line) => !/^\s*(?:#.*|set -e)?\s*$/.test(line));
}

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
