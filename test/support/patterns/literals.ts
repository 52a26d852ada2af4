import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Literal {
  /** `file:line`. */
  where: string;
  expression: RegExp;
}

/** Strings, comments and templates, which are passed over, and expressions, where only an expression can begin. */
const TOKENS =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[=(,:!&|?;[{}>]\s*|\breturn\s+|^\s*)(\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/)([dgimsuvy]*)(?!\w)/gm;

/** All regular expressions that are written out in the sources below a folder, tests left out. */
export function expressionsBelow(folder: string): Literal[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      return [...text.matchAll(TOKENS)].flatMap(({ 1: literal, 2: flags, index }) => {
        if (literal === undefined) return [];
        const where = `${path}:${text.slice(0, index).split('\n').length}`;
        return [{ where, expression: new RegExp(literal.slice(1, -1), flags) }];
      });
    });
}
