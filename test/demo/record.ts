import { writeFileSync } from 'node:fs';
import { draw, ESCAPE, type PictureName, pictureOf, RENDITION, recordOf } from '../../build/docs/picture.ts';
import type { Machine } from '../lab/lab.ts';

/** Columns of the recorded terminals. */
const WIDTH = 90;

/** Records what a terminal on the machine shows for `slipway status`, colours included. */
export async function recordStatus(machine: Machine): Promise<void> {
  // The exit status of `slipway status` is the verdict's.
  const { stdout } = await machine.exec([
    'script',
    '-qec',
    `stty cols ${WIDTH}; TERM=xterm slipway status`,
    '/dev/null',
  ]);
  const lines = stdout.replaceAll('\r', '').split('\n').flatMap(folded);
  save('status', `$ slipway status\n${lines.join('\n')}`);
}

/**
 * Records the condition BootstrapSucceeded as `kubectl describe machine` prints it. A line of dots stands for other fields
 * and conditions; long lines wrap as they would in a terminal.
 */
export function recordMachine(described: string): void {
  const lines = described.trimEnd().split('\n');
  const [name = '', namespace = ''] = lines;
  const type = lines.findIndex((line) => /Type: +slipway\.dev\/BootstrapSucceeded/.test(line));
  // kubectl prints the fields of a condition in the order of the alphabet, Last Transition Time first, Type last.
  const first = lines.findLastIndex(
    (line, at) => at < type && line.trimStart().startsWith('Last Transition Time:'),
  );
  if (type < 0 || first < 0)
    throw new Error(`kubectl describes no condition BootstrapSucceeded:\n${described}`);
  const condition = lines.slice(first, type + 1).flatMap(wrapped);
  save(
    'machine',
    [
      `$ kubectl describe machine ${name.replace(/^Name: +/, '')}`,
      name,
      namespace,
      '...',
      'Status:',
      '  Conditions:',
      '    ...',
      ...condition,
      '',
    ].join('\n'),
  );
}

/** A line with colours, broken where the terminal's last column is. */
function folded(line: string): string[] {
  const rows = [''];
  let column = 0;
  for (const part of line.split(RENDITION)) {
    if (part.startsWith(ESCAPE)) {
      rows[rows.length - 1] += part;
      continue;
    }
    for (const character of part) {
      if (column === WIDTH) {
        rows.push('');
        column = 0;
      }
      rows[rows.length - 1] += character;
      column += 1;
    }
  }
  return rows;
}

/** A field of `kubectl describe`, its value wrapped at blanks below its own column. */
function wrapped(line: string): string[] {
  const column = /^ *[^:]+: */.exec(line)?.[0].length ?? 0;
  const rows: string[] = [];
  let row = line.slice(0, column);
  for (const word of line.slice(column).split(' ')) {
    if (row.length + word.length >= WIDTH && row.length > column) {
      rows.push(row.trimEnd());
      row = ' '.repeat(column);
    }
    row += `${word} `;
  }
  return [...rows, row.trimEnd()];
}

function save(name: PictureName, record: string): void {
  writeFileSync(recordOf(name), record);
  writeFileSync(pictureOf(name), draw(name));
}
