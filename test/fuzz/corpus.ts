import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const LITERAL = /`((?:[^`\\$]|\\.|\$(?!\{))*)`|'((?:[^'\\\n]|\\.)*)'/g;
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', 0: '\0' };

/** The files below a folder of the repository whose names end so. */
export function filesIn(folder: string, ending: string): Buffer[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => readFileSync(join(ROOT, folder, name)));
}

/** The texts of several lines that stand in the unit tests of a folder: what their authors thought worth an example. */
export function testTexts(folder: string): string[] {
  return filesIn(folder, '.test.ts').flatMap((source) =>
    [...source.toString('utf8').matchAll(LITERAL)]
      .map(([, block, line]) => unescaped(block ?? line ?? ''))
      .filter((text) => text.includes('\n') && text.length > 8),
  );
}

function unescaped(text: string): string {
  return text.replace(
    /\\(u\{([0-9a-f]+)\}|x([0-9a-f]{2})|.)/gs,
    (_, code: string, point?: string, byte?: string) => {
      const hex = point ?? byte;
      return hex === undefined ? (ESCAPES[code] ?? code) : String.fromCodePoint(Number.parseInt(hex, 16));
    },
  );
}

/** What a kubeconfig is made of, for dictionaries. */
export const KUBECONFIG_WORDS = [
  'current-context',
  'contexts',
  'clusters',
  'users',
  'cluster',
  'user',
  'server',
  'name',
  'https://',
];

export function texts(...all: readonly string[]): Buffer[] {
  return all.map((text) => Buffer.from(text));
}

export function jsons(...all: readonly unknown[]): Buffer[] {
  return all.map((value) => Buffer.from(JSON.stringify(value)));
}

/** Values as the lines of one text. */
export function jsonLines(...all: readonly unknown[]): Buffer {
  return Buffer.from(all.map((value) => `${JSON.stringify(value)}\n`).join(''));
}
