import { Diagnostics } from '../../../../src/agent/text/diagnostics.ts';
import { plainText } from '../../../../src/agent/text/source-text.ts';
import { parseYaml } from '../../../../src/agent/text/yaml/parse.ts';

/** Reads user data as the agent does. */
export function read(text: string): boolean {
  return parseYaml(plainText(text), new Diagnostics()) !== undefined;
}
