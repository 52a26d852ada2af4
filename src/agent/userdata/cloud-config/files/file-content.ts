import { gunzip } from '../../../../kit/bytes/gunzip.ts';
import { pythonBase64 } from '../../../text/python-base64.ts';
import type { Fields } from '../../../text/yaml/fields.ts';
import type { YamlNode } from '../../../text/yaml/yaml-node.ts';

/** The bytes that file contents may still take after decompression; all files of a document share it. */
export interface Budget {
  left: number;
}

interface Steps {
  base64: boolean;
  gzip: boolean;
}

const ENCODINGS: Readonly<Record<string, Steps>> = {
  '': { base64: false, gzip: false },
  'text/plain': { base64: false, gzip: false },
  gz: { base64: false, gzip: true },
  gzip: { base64: false, gzip: true },
  b64: { base64: true, gzip: false },
  base64: { base64: true, gzip: false },
  'gz+base64': { base64: true, gzip: true },
  'gzip+base64': { base64: true, gzip: true },
  'gz+b64': { base64: true, gzip: true },
  'gzip+b64': { base64: true, gzip: true },
};

/**
 * The bytes that `content` and `encoding` of a write_files item describe. Missing content makes an empty
 * file; an unknown encoding counts as plain text, with a warning (cloud-init's `canonicalize_extraction`,
 * `extract_contents`).
 *
 * @returns undefined after an error
 */
export function fileContent(fields: Fields, budget: Budget): Uint8Array | undefined {
  const steps = encodingSteps(fields);
  const node = fields.node('content');
  if (node === undefined) return new Uint8Array();
  const raw = rawContent(node);
  if (raw === undefined) {
    fields.expected('content', node, 'a string (put it in quotes, or use a | block)');
    return undefined;
  }
  const decoded = steps.base64 ? undoBase64(raw, fields) : raw;
  if (decoded === undefined || !steps.gzip) return decoded;
  return undoGzip(decoded, fields, budget);
}

function encodingSteps(fields: Fields): Steps {
  const name = (fields.text('encoding') ?? '').toLowerCase().trim();
  const steps = Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined;
  if (steps !== undefined) return steps;
  fields.warn('encoding', 'the encoding is not known; the content is written unchanged.');
  return { base64: false, gzip: false };
}

function rawContent(node: YamlNode): Uint8Array | undefined {
  if (node.kind === 'string') return Buffer.from(node.value, 'utf8');
  return node.kind === 'binary' ? node.value : undefined;
}

function undoBase64(raw: Uint8Array, fields: Fields): Uint8Array | undefined {
  const decoded = pythonBase64(Buffer.from(raw).toString('latin1'));
  if (decoded === undefined) {
    fields.wrong(
      'content',
      'the encoding is base64, but the content is not; it is truncated or not encoded.',
    );
    return undefined;
  }
  if (decoded.dropped > 0) fields.warn('content', `the base64 has ${decoded.dropped} invalid characters.`);
  return decoded.bytes;
}

function undoGzip(bytes: Uint8Array, fields: Fields, budget: Budget): Uint8Array | undefined {
  const result = gunzip(bytes, budget.left);
  if ('bytes' in result) {
    budget.left -= result.bytes.length;
    return result.bytes;
  }
  const large = 'the contents of all files decompress to more than Slipway accepts.';
  const damaged =
    'the encoding is gzip, but the content is not gzip data; it is truncated or not compressed.';
  fields.wrong('content', result.problem === 'too-large' ? large : damaged);
  return undefined;
}
