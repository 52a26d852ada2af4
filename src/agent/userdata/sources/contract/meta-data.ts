import { positionText } from '../../../../kit/position.ts';
import type { Diagnostic } from '../../../document/document.ts';
import { Diagnostics } from '../../../text/diagnostics.ts';
import { plainText } from '../../../text/source-text.ts';
import { parseYaml } from '../../../text/yaml/parse.ts';
import { plainValue } from '../../../text/yaml/plain-value.ts';
import { toText } from '../../decode/text.ts';

export interface MetaData {
  values: Record<string, unknown>;
  /** What was unreadable. Like cloud-init, Slipway goes on without it, but it says so. */
  remarks: Diagnostic[];
}

/** Reads a `meta-data` file: YAML (or JSON) with a mapping at its root. */
export function readMetaData(bytes: Buffer, name: string): MetaData {
  const diagnostics = new Diagnostics();
  const text = toText(bytes, name, diagnostics);
  const root = text === undefined || text.trim() === '' ? undefined : parseYaml(plainText(text), diagnostics);
  const remarks = diagnostics.entries.map((entry) => asRemark(entry, name));
  if (root === undefined || root.kind === 'null') return { values: {}, remarks };
  if (root.kind === 'mapping') return { values: plainValue(root) as Record<string, unknown>, remarks };
  const message = `${name} is not a mapping of keys such as instance-id; it is ignored.`;
  return { values: {}, remarks: [...remarks, { severity: 'warning', code: 'UserDataInvalid', message }] };
}

/** Turns a problem of the metadata into a warning without position: its line is not in the user data. */
function asRemark({ code, message, where }: Diagnostic, name: string): Diagnostic {
  const place = where === undefined ? '' : ` ${positionText(where)}`;
  return { severity: 'warning', code, message: `${name}${place}: ${message}` };
}
