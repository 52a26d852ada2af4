/**
 * Recognises the line that Cluster API's kubeadm provider writes into `runcmd`: `kubeadm init|join --config
 * FILE [--v N] && echo success > SENTINEL`, and a call of kubeadm with any flags, as a line or as a list of words.
 *
 * The engine takes such a command out of the shell script and runs it itself. A wrong "yes" would change what
 * the user asked for, so it accepts only lines that mean the same in every shell.
 */

import { type Sensitive, sensitive } from '../../../../secrets/sensitive.ts';
import { parseInvocation } from '../../../kubeadm/config/invocation.ts';

export interface LiftedKubeadm extends Environment {
  verb: 'init' | 'join';
  /** Everything after the verb; it may hold a token, so treat it as secret. */
  args: string[];
  /** The value of `--config`, if given. */
  configPath?: string;
  /** The file to which the line writes `success`, if any. */
  sentinel?: string;
}

/**
 * Slipway looks for kubeadm in these directories anyway (see real-kubeadm.ts), so a path there says no more
 * than the bare name.
 */
const PROGRAMS = new Set([
  'kubeadm',
  '/usr/local/bin/kubeadm',
  '/usr/bin/kubeadm',
  '/bin/kubeadm',
  '/opt/bin/kubeadm',
]);

/**
 * The kubeadm call in a shell line; undefined if the line is or contains anything else: pipes, expansions, other
 * redirections, phases, dry runs, a configuration by a relative path. Never throws.
 */
export function liftKubeadm(shell: string): LiftedKubeadm | undefined {
  const tokens = shellTokens(shell);
  if (tokens === undefined) return undefined;
  const firstOperator = tokens.findIndex((token) => 'operator' in token);
  const call = (firstOperator < 0 ? tokens : tokens.slice(0, firstOperator)).flatMap((token) =>
    'word' in token ? [token] : [],
  );
  const first = call.findIndex((token) => !isAssignment(token));
  const words = call.map(({ word }) => word);
  const lifted = first < 0 ? undefined : liftKubeadmCall(words.slice(first), words.slice(0, first));
  if (firstOperator < 0 || lifted === undefined) return lifted;
  const sentinel = sentinelOf(tokens.slice(firstOperator));
  return sentinel === undefined ? undefined : { ...lifted, sentinel };
}

/**
 * The kubeadm call that these words are, behind `env` or `sudo` or not; undefined where they are anything else. Never
 * throws.
 *
 * @param variables Set by the shell in front of them, as `NAME=value`
 */
export function liftKubeadmCall(
  called: readonly string[],
  variables: readonly string[] = [],
): LiftedKubeadm | undefined {
  const behind = unwrapCommand(called, variables);
  const [program = '', ...words] = behind?.words ?? [];
  const invocation = PROGRAMS.has(program) ? parseInvocation(words) : undefined;
  if (behind === undefined || invocation?.kind !== 'bootstrap') return undefined;
  const { verb, args, configPath } = invocation;
  // Only the shell knows from where it leads.
  if (configPath !== undefined && !WHOLE_PATH.test(configPath)) return undefined;
  return { verb, args, ...(configPath === undefined ? {} : { configPath }), ...behind.environment };
}

/** Of Windows too. */
const WHOLE_PATH = /^(?:\/|[A-Za-z]:[\\/])/;

/** The path in exactly `&& echo success > PATH`. */
function sentinelOf(tokens: Token[]): string | undefined {
  const shape = tokens.map((token) => ('word' in token ? token.word : token.operator));
  const kinds = tokens.map((token) => ('word' in token ? 'w' : 'o')).join('');
  const [and, echo, success, into, path] = shape;
  if (kinds !== 'owwow' || and !== '&&' || echo !== 'echo' || success !== 'success' || into !== '>')
    return undefined;
  return path !== undefined && isPlainFilePath(path) ? path : undefined;
}

/** Absolute, without `.` and `..`, and outside the kernel's own files, where writing has side effects. */
function isPlainFilePath(path: string): boolean {
  if (!path.startsWith('/') || path.endsWith('/')) return false;
  if (path.split('/').some((part) => part === '.' || part === '..')) return false;
  return !/^\/+(dev|proc|sys)\//.test(path);
}

/** What a command says of the environment of its program; empty where it says nothing. */
interface Environment {
  /** `NAME=value`; may hold the password of a proxy. */
  environment?: Sensitive<string[]>;
  /** The program gets nothing that commands before it have exported: sudo keeps that back. */
  withoutExports?: true;
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
/** Where programs are looked for, or what Slipway itself reads and sets: another meaning than for the shell. */
const OTHERWISE = /^(?:PATH|(?:SLIPWAY|slipway)_\w*)=/;
const ENV = new Set(['env', '/usr/bin/env', '/bin/env']);
const SUDO = new Set(['sudo', '/usr/bin/sudo', '/bin/sudo']);
/** Options of sudo that say nothing but what of the environment is kept; commands run as root already. */
const SUDO_OPTIONS = /^(?:-[EHn]+|--preserve-env|--set-home|--non-interactive)$/;
/** Nobody puts more of them in front of a program. */
const MOST = 8;
const KEEPS = /^(?:-\w*E|--preserve-env$)/;

/** Does a shell take the word in front of a command for a variable? Not if its name is quoted. */
function isAssignment({ word, bare }: { word: string; bare: number }): boolean {
  const name = ASSIGNMENT.exec(word)?.[0];
  return name !== undefined && name.length <= bare;
}

/**
 * What `env` and `sudo` in front of a program say of its environment, and the program with its words; undefined where they say
 * more than that, or where it depends on the machine: sudo keeps or drops variables in front of itself by its rules.
 *
 * @param variables Set in front of these words, as `NAME=value`
 */
function unwrapCommand(
  words: readonly string[],
  variables: readonly string[],
): { words: readonly string[]; environment: Environment } | undefined {
  const set = [...variables];
  let withoutExports = false;
  let rest = words;
  for (
    let count = 1, [program = ''] = rest;
    ENV.has(program) || SUDO.has(program);
    count++, [program = ''] = rest
  ) {
    if (count > MOST) return undefined;
    const isSudo = SUDO.has(program);
    const options = isSudo ? leading(rest.slice(1), SUDO_OPTIONS) : [];
    const keeps = options.some((option) => KEEPS.test(option));
    if (isSudo && !keeps && set.length > 0) return undefined;
    withoutExports ||= isSudo && !keeps;
    const behind = rest.slice(1 + options.length);
    const isEnd = behind[0] === '--';
    // Behind that sudo takes no variables.
    const own = isSudo && isEnd ? [] : leading(isEnd ? behind.slice(1) : behind, ASSIGNMENT);
    for (const variable of own) set.push(variable);
    rest = behind.slice(own.length + (isEnd ? 1 : 0));
  }
  if (set.some((variable) => OTHERWISE.test(variable))) return undefined;
  const environment: Environment = {
    ...(set.length > 0 ? { environment: sensitive(set) } : {}),
    ...(withoutExports ? { withoutExports } : {}),
  };
  return { words: rest, environment };
}

function leading(words: readonly string[], form: RegExp): string[] {
  const end = words.findIndex((word) => !form.test(word));
  return words.slice(0, end < 0 ? words.length : end);
}

/** `bare`: so many characters at its front stand outside of quotes. */
type Token = { word: string; bare: number } | { operator: '&&' | '>' };

/** Characters that every POSIX shell takes literally if they stand unquoted inside a command. */
const PLAIN = /[A-Za-z0-9_@%+=:,./-]/;

/**
 * Splits a simple command line into words and operators: the part of the shell's grammar that needs no shell. It refuses
 * everything whose meaning depends on the shell's state, never guesses, and never throws.
 *
 * @returns undefined if it has anything but plain words, quoted words without expansions, `&&` and `>` (so no
 * variables, globs, pipes, `;`, comments, escapes or line breaks)
 */
function shellTokens(line: string): Token[] | undefined {
  const text = withoutBlanksAround(line);
  const tokens: Token[] = [];
  let word: string | undefined;
  let bare: number | undefined;
  const endWord = (): void => {
    if (word !== undefined) tokens.push({ word, bare: bare ?? word.length });
    word = undefined;
    bare = undefined;
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === ' ' || char === '\t') endWord();
    else if (PLAIN.test(char)) word = (word ?? '') + char;
    else if (char === "'" || char === '"') {
      const end = text.indexOf(char, i + 1);
      if (end < 0) return undefined;
      const quoted = text.slice(i + 1, end);
      if (hasControlCharacter(quoted) || (char === '"' && /[$`\\!]/.test(quoted))) return undefined;
      bare ??= word?.length ?? 0;
      word = (word ?? '') + quoted;
      i = end;
    } else if (char === '&' && text[i + 1] === '&') {
      endWord();
      tokens.push({ operator: '&&' });
      i++;
    } else if (char === '>' && text[i + 1] !== '>') {
      // In `2> file`, the number touches the operator: it names another stream and is no word.
      if (word !== undefined && /^\d+$/.test(word)) return undefined;
      endWord();
      tokens.push({ operator: '>' });
    } else return undefined;
  }
  endWord();
  return tokens;
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** By hand: a pattern for blanks at an end looks at those in the middle again and again. */
function withoutBlanksAround(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && BLANKS.includes(line[start] ?? '')) start += 1;
  while (end > start && BLANKS.includes(line[end - 1] ?? '')) end -= 1;
  return line.slice(start, end);
}

const BLANKS: readonly string[] = [' ', '\t', '\n'];
