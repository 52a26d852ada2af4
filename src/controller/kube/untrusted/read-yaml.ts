import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { ExpectedError } from '../../../kit/errors.ts';

/** A kubeconfig has six levels. */
const MOST_LEVELS = 32;
/** No tool writes one; people may write a few. Each costs nothing, but what is shared looks like a lot. */
const MOST_ALIASES = 100;

/** The text is no YAML, or none that anybody would write; a sentence without any of the text. */
export class YamlError extends ExpectedError {
  override readonly name = 'YamlError';
}

/**
 * Reads YAML that anybody may have written, in time that grows with its length alone: 1.5 ms for each KiB at worst. npm's
 * `yaml` takes a minute for 1200 bytes of `? `.
 *
 * @throws YamlError
 */
export function readYaml(text: string, maxAliases = MOST_ALIASES): unknown {
  try {
    // As in client-go, the last of several equal keys counts. Merge keys (`<<`) mean nothing in this schema.
    return load(text, { schema: CORE_SCHEMA, json: true, maxDepth: MOST_LEVELS, maxAliases });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw new YamlError('it is no YAML');
    const { line, column } = error.mark ?? {};
    const where = line === undefined || column === undefined ? '' : ` at ${line + 1}:${column + 1}`;
    // What is wrong may quote the text, which holds secrets.
    throw new YamlError(`it is no YAML that can be read${where}${reasonOf(error.reason, maxAliases)}`);
  }
}

const TELLING = /^(?:nesting exceeded maxDepth|aliases exceeded maxAliases)/;

function reasonOf(reason: string, maxAliases: number): string {
  const [told] = TELLING.exec(reason) ?? [];
  if (told === undefined) return '';
  return told.includes('maxDepth')
    ? `: more than ${MOST_LEVELS} levels`
    : `: more than ${maxAliases} aliases`;
}
