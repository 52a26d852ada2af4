import { type Cursor, isBlankOrEnd, isBreak } from './cursor.ts';
import { YamlSyntaxError } from './syntax-error.ts';
import type { Token } from './tokens.ts';

const BLOCK_RUN = /[^ \t\n\u2028\u2029:]+/y;
const FLOW_RUN = /[^ \t\n\u2028\u2029:,?[\]{}]+/y;
const SPACES = / +/y;
const BLANKS = /[ \t]+/y;

/** A plain value. `endedLine` is true if a line break followed; a key may begin after it. */
interface Plain {
  token: Token;
  endedLine: boolean;
}

/** A value without quotes, over one or more lines; `indent` is the surrounding collection's. */
export function scanPlain(cursor: Cursor, indent: number, flow: boolean): Plain {
  const start = cursor.at;
  const parts: string[] = [];
  let spaces: string[] = [];
  let endedLine = false;
  while (cursor.peek() !== '#') {
    const run = takeRun(cursor, flow);
    if (run === '') break;
    if (spaces.length > 0) parts.push(spaces.join(''));
    parts.push(run);
    // It is a key, or ends at a sign.
    const next = cursor.peek();
    spaces = [];
    endedLine = false;
    if (!cursor.separates(next) && !isBreak(next)) break;
    const gap = takeSpaces(cursor, indent);
    endedLine = gap.endedLine;
    spaces = gap.parts;
    if (spaces.length === 0 || (!flow && cursor.column < indent + 1)) break;
  }
  return { token: { kind: 'scalar', text: parts.join(''), plain: true, at: start }, endedLine };
}

/** Takes characters up to a blank, a line break or a closing sign (a colon closes only before a blank). */
function takeRun(cursor: Cursor, flow: boolean): string {
  const start = cursor.at;
  for (;;) {
    cursor.take(flow ? FLOW_RUN : BLOCK_RUN);
    const next = cursor.peek(1);
    const ends = isBlankOrEnd(next) || (flow && ',[]{}'.includes(next));
    if (cursor.peek() !== ':' || ends) return cursor.text.slice(start, cursor.at);
    cursor.forward();
  }
}

/** Takes spaces, or line breaks and folds them to a space; nothing if a document mark follows. */
function takeSpaces(cursor: Cursor, indent: number): { parts: string[]; endedLine: boolean } {
  const blanks = cursor.take(cursor.tabs ? BLANKS : SPACES);
  const broken = cursor.lineBreak();
  if (broken === '') return { parts: blanks === '' ? [] : [blanks], endedLine: false };
  if (cursor.atDocumentMark()) return { parts: [], endedLine: true };
  const empty: string[] = [];
  for (;;) {
    cursor.skipSpaces();
    if (cursor.tabs && cursor.peek() === '\t') {
      if (cursor.column < indent + 1)
        throw new YamlSyntaxError('A tab is where YAML allows only spaces.', cursor.at);
      cursor.skipBlanks();
    }
    if (!isBreak(cursor.peek())) break;
    empty.push(cursor.lineBreak());
    if (cursor.atDocumentMark()) return { parts: [], endedLine: true };
  }
  const fold = broken === '\n' ? (empty.length === 0 ? [' '] : []) : [broken];
  return { parts: [...fold, ...empty], endedLine: true };
}

/** May a plain value begin here? */
export function beginsPlain(cursor: Cursor, flow: boolean): boolean {
  const character = cursor.peek();
  if (!isBlankOrEnd(character) && !'-?:,[]{}#&*!|>\'"%@`'.includes(character)) return true;
  return (
    !isBlankOrEnd(cursor.peek(1)) &&
    (character === '-' || (!flow && (character === '?' || character === ':')))
  );
}
