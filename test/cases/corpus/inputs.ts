import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { run } from '../../lab/process/command.ts';

/** What the real program says of an input: takes it, takes it with a warning, refuses it, or judges no such format. */
type Oracle = 'fully' | 'warn' | 'refuse' | 'other-format';

export interface Input {
  name: string;
  raw: Buffer;
  oracle: Oracle;
  /** Cluster API's own output: refusing it is wrong, whatever a schema says. */
  must: boolean;
}

export interface Corpus {
  inputs: Input[];
  /** The metadata that the real programs were given. */
  metaData: Record<string, unknown>;
}

/** Inputs of our own, which lie in the repository: a few of each class. */
export function ownCorpus(): Corpus {
  const file = load(readFileSync(join(import.meta.dirname, 'own.yaml'), 'utf8')) as {
    metaData: Record<string, unknown>;
    inputs: Record<string, { oracle: Oracle; must?: boolean; text: string }>;
  };
  const inputs = Object.entries(file.inputs).map(([name, { oracle, must = false, text }]) => ({
    name,
    oracle,
    must,
    raw: Buffer.from(text),
  }));
  return { inputs, metaData: file.metaData };
}

/** SLIPWAY_CORPUS_DIR, else the folder `shared/corpus` beside the checkout; undefined where there is none. */
export function foreignDirectory(): string | undefined {
  const said = process.env.SLIPWAY_CORPUS_DIR;
  if (said !== undefined && said !== '') return said;
  const beside = join(import.meta.dirname, '../../../../shared/corpus');
  return existsSync(beside) ? beside : undefined;
}

/**
 * Inputs of strangers: `expected.json` with one entry for each file, in the directory, in its folder `user-data`, or in
 * `user-data.tar.xz`. They are under licences of their own and no part of the repository.
 */
export async function foreignCorpus(directory: string): Promise<Corpus> {
  const archive = join(directory, 'user-data.tar.xz');
  if (!existsSync(archive)) {
    const inner = join(directory, 'user-data');
    return readForeign(existsSync(inner) ? inner : directory);
  }
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-corpus-'));
  try {
    await run('tar', ['-xJf', archive, '-C', scratch]);
    return readForeign(join(scratch, 'user-data'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function readForeign(directory: string): Corpus {
  const expected = JSON.parse(readFileSync(join(directory, 'expected.json'), 'utf8')) as Record<
    string,
    { verdict: Oracle; must?: string }
  >;
  const inputs = Object.entries(expected).map(([name, { verdict, must }]) => ({
    name,
    oracle: verdict,
    must: must?.startsWith('accept') ?? false,
    raw: readFileSync(join(directory, name)),
  }));
  const metaData = load(readFileSync(join(directory, 'meta-data.yaml'), 'utf8')) as Record<string, unknown>;
  return { inputs, metaData };
}
