import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

/** A configuration of a newer version, and what kubeadm must have understood of it after the conversion. */
export interface ConfigCase {
  about: string;
  verb: 'init' | 'join';
  text: string;
  /** Lines of kubeadm's own rendering of what it read. */
  understood: string[];
  flags: string[];
}

const read = (...path: string[]): string => readFileSync(join(import.meta.dirname, ...path), 'utf8');

/** The pairs of files in converted/. */
export function configs(): ConfigCase[] {
  const suffix = '.expected.yaml';
  const names = readdirSync(join(import.meta.dirname, 'converted')).filter((file) => file.endsWith(suffix));
  return names.map((file) => {
    const about = file.slice(0, -suffix.length);
    return {
      about,
      verb: about.startsWith('init') ? 'init' : 'join',
      text: read('converted', `${about}.yaml`),
      ...(load(read('converted', file)) as Pick<ConfigCase, 'understood' | 'flags'>),
    };
  });
}

/** A configuration that is right in every part; each part is spoilt in turn. */
export const sound = (verb: ConfigCase['verb']): string => read('spoilt', `${verb}.yaml`);

/** What each line's value is replaced with. */
export const spoilers = (): string[] => JSON.parse(read('spoilt', 'values.json')) as string[];
