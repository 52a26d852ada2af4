import { asRecord, type JsonRecord } from '../../../../kit/json.ts';
import { placeText } from '../../../../kit/position.ts';
import { type Host, HostError } from '../../../host/host.ts';
import { Diagnostics } from '../../../text/diagnostics.ts';
import { plainText } from '../../../text/source-text.ts';
import { parseYaml } from '../../../text/yaml/parse.ts';
import { plainValue } from '../../../text/yaml/plain-value.ts';

/** Slipway's own file has cloud-init's two keys, which win over those of cloud-init's files, and `metadata`. */
export const SOURCES_FILE = '/etc/slipway/sources.yaml';

const MAX_BYTES = 1024 * 1024;
/** What each of its keys has to be. */
const SHAPES: Readonly<Record<string, { isRight(value: unknown): boolean; words: string }>> = {
  datasource_list: {
    isRight: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
    words: 'a list of names',
  },
  datasource: {
    isRight: (value) => typeof value === 'string' || asRecord(value) !== undefined,
    words: 'a mapping, or a name',
  },
  metadata: { isRight: (value) => typeof value === 'string', words: 'the name of a source' },
};

/**
 * Reads /etc/slipway/sources.yaml. Whoever writes it decides who the machine is: unlike a file of cloud-init's, one that is
 * not understood is not passed over.
 *
 * @throws HostError EINVAL with the place of what is wrong; otherwise the system's error
 */
export async function readSourcesFile(host: Host): Promise<JsonRecord> {
  const bytes = await host.files.readIfPresent(SOURCES_FILE, MAX_BYTES);
  if (bytes === undefined) return {};
  const diagnostics = new Diagnostics();
  const root = parseYaml(plainText(bytes.toString('utf8')), diagnostics);
  const wrong = diagnostics.entries.find(({ severity }) => severity === 'error');
  if (wrong) throw refused(wrong.message, wrong.where);
  if (root === undefined || root.kind === 'null') return {};
  const values = asRecord(plainValue(root));
  if (values === undefined) throw refused('it must be a mapping.', root.where);
  for (const [key, value] of Object.entries(values)) {
    const shape = Object.hasOwn(SHAPES, key) ? SHAPES[key] : undefined;
    if (shape === undefined)
      throw refused(
        `${JSON.stringify(key)} is not a setting; the settings are: ${Object.keys(SHAPES).join(', ')}.`,
        root.where,
      );
    if (value !== null && !shape.isRight(value)) throw refused(`${key} must be ${shape.words}.`, root.where);
  }
  return values;
}

function refused(message: string, where: { line: number; column: number } | undefined): HostError {
  const place = where === undefined ? SOURCES_FILE : placeText({ ...where, within: SOURCES_FILE });
  return new HostError(`${place}: ${message}`, 'EINVAL', SOURCES_FILE);
}
