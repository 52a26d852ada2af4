import { asRecord, at, textAt } from '../../kit/json.ts';
import { readYaml } from '../kube/untrusted/read-yaml.ts';

const JINJA_VALUE = /\{\{[^{}\n]*\}\}/g;
/** Reading it holds the process, and user data of clouds are smaller. */
const MAX_BYTES = 128 * 1024;

interface NamedFile {
  readonly path: string;
  readonly content: string;
}

/** The files that bootstrap data write, with their contents as text; none where the data cannot be read. */
export function readFiles(value: Uint8Array): NamedFile[] {
  const text = Buffer.from(value).toString('utf8');
  if (text.length > MAX_BYTES) return [];
  try {
    // JSON is YAML; jinja's values become plain words.
    const document = asRecord(readYaml(text.replace(JINJA_VALUE, 'jinja')));
    const written = [document?.write_files].flat().map((entry) => ({
      path: textAt(entry, 'path') ?? '',
      content: decoded(textAt(entry, 'content') ?? '', textAt(entry, 'encoding') ?? ''),
    }));
    const ofIgnition = [at(document, 'storage', 'files')].flat().map((entry) => ({
      path: textAt(entry, 'path') ?? '',
      content: contentOfUrl(textAt(entry, 'contents', 'source') ?? ''),
    }));
    return [...written, ...ofIgnition];
  } catch {
    return [];
  }
}

function decoded(content: string, encoding: string): string {
  return /^(?:b64|base64)$/.test(encoding) ? Buffer.from(content, 'base64').toString('utf8') : content;
}

function contentOfUrl(url: string): string {
  const [, base64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  return base64 === undefined ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString('utf8');
}
