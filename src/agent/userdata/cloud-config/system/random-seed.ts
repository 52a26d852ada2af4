import { isAbsolute } from 'node:path/posix';
import { gunzip } from '../../../../kit/bytes/gunzip.ts';
import { sensitive } from '../../../../secrets/sensitive.ts';
import { MAX_DECODED_BYTES } from '../../../text/limits.ts';
import { fieldsOf, type SystemReader } from './system-reader.ts';

/** `random_seed`: bytes for the kernel's random numbers, and a program that gathers more. */
export const randomSeed: SystemReader<'randomSeed'> = {
  name: 'randomSeed',
  read(find, { report }) {
    const fields = fieldsOf(find, 'random_seed', report);
    if (fields === undefined) return undefined;
    const file = fields.text('file') ?? '/dev/urandom';
    if (!isAbsolute(file)) fields.wrong('file', 'file must be an absolute path.');
    const text = fields.looseText('data') ?? '';
    const encoding = (fields.text('encoding') ?? 'raw').toLowerCase();
    const data = decoded(text, encoding);
    if (data === undefined)
      fields.wrong('data', 'data does not match its encoding, which must be raw, base64 or gzip.');
    const command = fields.texts('command', true);
    const isRequired = fields.bool('command_required', false);
    if (isRequired && command.length === 0)
      fields.wrong('command', 'command_required is true, but command is missing.');
    fields.finish();
    return { file, data: sensitive(data ?? Buffer.alloc(0)), command, isRequired };
  },
};

function decoded(text: string, encoding: string): Buffer | undefined {
  switch (encoding) {
    case 'raw':
      return Buffer.from(text);
    case 'b64':
    case 'base64':
      return /^[A-Za-z0-9+/\s]*(?:=+\s*)?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
    case 'gz':
    case 'gzip': {
      const result = gunzip(Buffer.from(text, 'latin1'), MAX_DECODED_BYTES);
      return 'bytes' in result ? result.bytes : undefined;
    }
    default:
      return undefined;
  }
}
