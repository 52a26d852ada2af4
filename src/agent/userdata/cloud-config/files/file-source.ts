import { sensitive } from '../../../../secrets/sensitive.ts';
import type { RemoteContent } from '../../../document/document.ts';
import { pathOfFile } from '../../../stores/reference/file-address.ts';
import { isSecretReference, readReference } from '../../../stores/reference/reference.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import { Fields } from '../../../text/yaml/fields.ts';
import { pythonText } from '../../../text/yaml/yaml-node.ts';

const HASH = /^sha(?:256-[0-9a-f]{64}|512-[0-9a-f]{128})$/;

/**
 * `source: {uri, headers, hash}` of a file: `file:`, `http:` or `https:`, or a reference to a secret. What lies there is taken
 * as it is. `hash` is Slipway's own.
 */
export function fileSource(fields: Fields, diagnostics: Diagnostics): RemoteContent | undefined {
  const node = fields.node('source');
  if (node === undefined) return undefined;
  if (node.kind !== 'mapping') {
    fields.expected('source', node, 'a mapping');
    return undefined;
  }
  const source = new Fields(node, 'write_files.source', diagnostics);
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
  const hash = source.text('hash');
  if (hash !== undefined && !HASH.test(hash))
    source.wrong('hash', 'hash must be sha256-SUM or sha512-SUM, in lower case.');
  source.finish();
  if (uri === undefined || uri === '') return undefined;
  const more = { isCompressed: false, ...(hash === undefined ? {} : { hash }) };
  if (isSecretReference(uri)) {
    const reference = readReference(uri);
    if ('problem' in reference) source.wrong('uri', `the reference ${reference.problem}.`);
    if (named.length > 0) source.wrong('headers', 'a reference to a secret takes no headers.');
    return { url: sensitive(uri), headers: [], ...more };
  }
  const scheme = URL.canParse(uri) ? new URL(uri).protocol : '';
  const isFine = scheme === 'file:' ? pathOfFile(uri) !== undefined : /^https?:$/.test(scheme);
  if (isFine) return { url: sensitive(uri), headers: named, ...more };
  source.wrong(
    'uri',
    'uri must be an address that begins with file://, http:// or https://, or a reference to a secret.',
  );
  return undefined;
}
