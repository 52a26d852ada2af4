import type { Diagnostics } from '../../../text/diagnostics.ts';
import type { SourceText } from '../../../text/source-text.ts';
import { Remarks } from '../check/remarks.ts';
import { checkSpec2 } from '../check/spec2.ts';
import { checkSpec3 } from '../check/spec3.ts';
import type { JsonNode } from '../json/parse.ts';
import { JsonError, parseJson } from '../json/parse.ts';
import { bind, Places } from '../schema/bind.ts';
import { CONFIG_2, type Config2 } from '../schema/spec2.ts';
import { CONFIG, type Config } from '../schema/spec3.ts';
import { type Version, versionOf } from './version.ts';

/** A config that was read and checked; whether something is wrong with it, its report says. */
export type Checked = { version: Version; places: Places } & (
  | { spec: 2; config: Config2 }
  | { spec: 3; config: Config }
);

/**
 * Reads one config and checks it as ignition-validate does. What is wrong goes to the report, with its JSON
 * path, line and column.
 *
 * @param places gets to know where everything stands; those of configs that are laid over each other are one
 * @returns undefined where it is no JSON, or no version that is known
 */
export function readConfig(
  source: SourceText,
  whole: Diagnostics,
  places: Places = new Places(),
): Checked | undefined {
  const diagnostics = whole.of(source);
  const root = jsonOf(source, diagnostics);
  const version = root && versionOf(root, source, diagnostics);
  if (!root || !version) return undefined;
  const reading = { source, minor: version.minor, version: version.text, places, report: diagnostics };
  const say = new Remarks(places, diagnostics);
  if (version.major === 2) {
    const config = bind(root, CONFIG_2, '$', reading);
    if (!diagnostics.failed) checkSpec2(config, version.minor, say);
    return { version, places, spec: 2, config };
  }
  const config = bind(root, CONFIG, '$', reading);
  // A value of a wrong type counts as missing, which is no reason for a second error.
  if (!diagnostics.failed) checkSpec3(config, version.minor, say);
  return { version, places, spec: 3, config };
}

function jsonOf(source: SourceText, diagnostics: Diagnostics): JsonNode | undefined {
  try {
    return parseJson(source.text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    diagnostics.error(
      'UserDataSyntax',
      `The Ignition config is not JSON: ${error.message}.`,
      source.locate(error.offset),
    );
    return undefined;
  }
}
