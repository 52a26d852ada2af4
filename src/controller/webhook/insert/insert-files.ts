import { insertIntoCloudConfig } from './cloud-config.ts';
import { insertIntoIgnition } from './ignition.ts';
import { type InsertedFile, type Insertion, unsupported } from './inserted-file.ts';

/** Adds files to bootstrap data of any format that it recognises by its beginning. */
export function insertFiles(value: Uint8Array, files: readonly InsertedFile[]): Insertion {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return unsupported('it is not text (compressed bootstrap data is not changed)');
  }
  if (/^\s*\{/.test(text)) return insertIntoIgnition(text, files);
  return insertIntoCloudConfig(text, files);
}
