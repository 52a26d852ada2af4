import { UsageError } from '../../../kit/errors.ts';

export type Output = 'text' | 'wide' | 'json' | 'yaml' | 'name';

/** The output formats of a command, the default first. @throws UsageError for a format that the command does not have */
export function parseOutput<O extends Output>(text: string | undefined, formats: readonly [O, ...O[]]): O {
  const found = text === undefined ? formats[0] : formats.find((format) => format === text);
  if (found !== undefined) return found;
  throw new UsageError(`--output: ${text} is not supported; use one of ${formats.join(', ')}`);
}
