import { inspect } from 'node:util';
import { visibleJson } from '../kit/terminal/visible.ts';
import { redact } from '../secrets/redact.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';
type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Whoever chose a text, no line of the log is endless. */
const LONGEST = 4_000;
const REST = 4_000;

const ORDER: readonly Level[] = ['debug', 'info', 'warn', 'error'];

export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

/**
 * Structured logs: one JSON object per line. Texts from outside cannot forge a line, nor act upon a terminal (line ends, controls and
 * marks of direction are escaped), and lose whatever looks like a secret. Long ones are cut.
 */
export function createLog(write: (line: string) => void, least: Level = 'info'): Log {
  const log =
    (level: Level) =>
    (message: string, fields: Fields = {}): void => {
      if (ORDER.indexOf(level) < ORDER.indexOf(least)) return;
      const told = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [key, typeof value === 'string' ? clean(value) : value]);
      write(
        `${visibleJson({ time: new Date().toISOString(), level, message: clean(message), ...Object.fromEntries(told) })}\n`,
      );
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

/** Cut first, because looking for secrets takes time; with a rest, so that no secret is cut in half before it is found. */
function clean(text: string): string {
  if (text.length <= LONGEST) return redact(text);
  const begin = redact(text.slice(0, LONGEST + REST)).slice(0, LONGEST);
  return `${begin.toWellFormed()} ... (cut, of ${text.length} characters)`;
}

/** An error in one sentence, without a stack. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : inspect(error);
}
