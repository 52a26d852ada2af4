import { type Sensitive, sensitive } from '../../../../secrets/sensitive.ts';

/** What a command says of the environment of its program; empty where it says nothing. */
export interface Environment {
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
export function isAssignment({ word, bare }: { word: string; bare: number }): boolean {
  const name = ASSIGNMENT.exec(word)?.[0];
  return name !== undefined && name.length <= bare;
}

/**
 * What `env` and `sudo` in front of a program say of its environment, and the program with its words; undefined where they say
 * more than that, or where it depends on the machine: sudo keeps or drops variables in front of itself by its rules.
 *
 * @param variables Set in front of these words, as `NAME=value`
 */
export function unwrapCommand(
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
