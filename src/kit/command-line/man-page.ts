import type { CommandRow } from './command-table.ts';

export interface Manual {
  name: string;
  /** One sentence: what the program does. */
  summary: string;
  commands: readonly CommandRow[];
  /** What the help of a command says beyond its options. */
  more?: (command: string) => string | undefined;
  /** What the program's help says at its end. */
  after?: string;
}

/** The manual page of a program in section 8, for man(1). */
export function manPage({ name, summary, commands, more, after }: Manual): string {
  const sections = commands.flatMap((row) => [
    `.SS ${escaped([`${name} ${row.name}`, ...row.arguments.map((word) => `[${word}]`)].join(' '))}`,
    line(row.description),
    ...row.options.flatMap(({ names, value, description, fallback }) => [
      '.TP',
      `.B ${escaped(`${names.join(', ')}${value === undefined ? '' : ` <${value}>`}`)}`,
      line(`${description}${fallback === undefined ? '' : ` (default: ${fallback})`}`),
    ]),
    ...verbatim(more?.(row.name)),
  ]);
  return `${[
    `.TH ${name.toUpperCase()} 8`,
    '.SH NAME',
    `${escaped(name)} \\- ${line(summary)}`,
    '.SH SYNOPSIS',
    `.B ${escaped(name)}`,
    'COMMAND [options]',
    '.SH COMMANDS',
    ...sections,
    ...(after === undefined ? [] : ['.SH NOTES', ...verbatim(after)]),
  ].join('\n')}\n`;
}

function verbatim(text: string | undefined): string[] {
  if (text === undefined) return [];
  return ['.PP', '.nf', ...text.trim().split('\n').map(line), '.fi'];
}

/** A line that begins with a dot or a quote would be a request to roff. */
const line = (text: string): string => escaped(text).replace(/^[.']/, '\\&$&');

const escaped = (text: string): string => text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
