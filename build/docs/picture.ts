/**
 * Draws docs/pictures/*.svg from the *.ansi files beside them, which `npm run demo -- --record` writes from a real run:
 * `npm run node -- build/docs/picture.ts`. The first line of each is the command.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../project.ts';

const FOLDER = join(root, 'docs', 'pictures');

/** What each record shows, for those who cannot see it. */
const DESCRIPTIONS = {
  status:
    'slipway status on a machine that could not join: each step with its time, the cause and what to do',
  machine: 'kubectl describe machine: the condition BootstrapSucceeded with the cause and what to do',
} as const;

export type PictureName = keyof typeof DESCRIPTIONS;
export const PICTURES = Object.keys(DESCRIPTIONS) as PictureName[];

export const recordOf = (name: PictureName): string => join(FOLDER, `${name}.ansi`);
export const pictureOf = (name: PictureName): string => join(FOLDER, `${name}.svg`);

export const ESCAPE = '\u001b[';
export const RENDITION = new RegExp(`(${ESCAPE.replace('[', '\\[')}\\d*m)`);

/** Pixels. */
const COLUMN = 8.4;
const ROW = 20;
const MARGIN = 20;

/** Select Graphic Rendition by number; 0 and others end it. */
const STYLES: Readonly<Record<string, string>> = {
  '1': 'font-weight="bold"',
  '2': 'fill="#8b949e"',
  '31': 'fill="#ff7b72"',
  '32': 'fill="#3fb950"',
  '33': 'fill="#d29922"',
};

/** The picture of a terminal with these lines, which may hold colours. */
export function picture(record: string, description: string): string {
  const lines = record.trimEnd().split('\n');
  const texts = lines.map(
    (line, index) => `<text x="${MARGIN}" y="${MARGIN + ROW * (index + 1)}">${spans(line)}</text>`,
  );
  const widest = Math.max(...lines.map((line) => plain(line).length));
  const [width, height] = [Math.ceil(widest * COLUMN + 2 * MARGIN), (lines.length + 1) * ROW + MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(description)}">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3" xml:space="preserve">
${texts.join('\n')}
</g>
</svg>
`;
}

const plain = (line: string): string => stripVTControlCharacters(line);

function spans(line: string): string {
  let column = 0;
  let style: string | undefined;
  let drawn = '';
  for (const part of line.split(RENDITION)) {
    const code = part.startsWith(ESCAPE) ? part.slice(ESCAPE.length, -1) : undefined;
    if (code !== undefined) style = STYLES[code];
    else if (part !== '') {
      const x = (MARGIN + column * COLUMN).toFixed(1);
      const length = (part.length * COLUMN).toFixed(1);
      drawn += `<tspan x="${x}" textLength="${length}"${style === undefined ? '' : ` ${style}`}>${escaped(part)}</tspan>`;
      column += part.length;
    }
  }
  return drawn;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The picture of a record. */
export const draw = (name: PictureName): string =>
  picture(readFileSync(recordOf(name), 'utf8'), DESCRIPTIONS[name]);

if (import.meta.main) for (const name of PICTURES) writeFileSync(pictureOf(name), draw(name));
