import { sensitive } from '../../../../kit/secrets/sensitive.ts';
import type { RemoteContent } from '../../../document/document.ts';
import type { Report } from '../../../text/report.ts';
import { Fields } from '../../../text/yaml/fields.ts';
import { pythonText } from '../../../text/yaml/node.ts';

/** `source: {uri, headers}` of a file: `file:`, `http:` or `https:`. What lies there is taken as it is. */
export function fileSource(fields: Fields, report: Report): RemoteContent | undefined {
  const node = fields.node('source');
  if (node === undefined) return undefined;
  if (node.kind !== 'mapping') {
    fields.expected('source', node, 'a mapping');
    return undefined;
  }
  const source = new Fields(node, 'write_files.source', report);
  const uri = source.text('uri');
  const given = source.node('headers');
  const headers = given?.kind === 'mapping' ? given.entries : [];
  if (given !== undefined && given.kind !== 'mapping') source.expected('headers', given, 'a mapping');
  const named = headers.map(({ key, value }) => ({
    name: pythonText(key) ?? '',
    value: sensitive(pythonText(value) ?? ''),
  }));
  if (named.some(({ name, value }) => !/^[\w-]+$/.test(name) || /[\r\n]/.test(value.reveal())))
    source.wrong('headers', 'headers must be names with values of one line.');
  source.finish();
  if (uri === undefined || uri === '') return undefined;
  const isFine = URL.canParse(uri) && /^(?:https?|file):$/.test(new URL(uri).protocol);
  if (isFine) return { url: sensitive(uri), headers: named, isCompressed: false };
  source.wrong('uri', 'uri must be an address that begins with file://, http:// or https://.');
  return undefined;
}
