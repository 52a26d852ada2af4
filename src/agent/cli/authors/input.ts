import { resolve } from 'node:path';
import { errorMessage, UsageError } from '../../../kit/errors.ts';
import type { Host } from '../../host/host.ts';
import { MAX_RAW_BYTES } from '../../text/limits.ts';

/** The bytes of a file, or of standard input for `-`. @throws UsageError where they cannot be read */
export async function readInput(host: Host, file: string): Promise<Buffer> {
  if (file === '-') return readStdin();
  try {
    return await host.files.read(resolve(file), MAX_RAW_BYTES);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_RAW_BYTES) throw new UsageError(`standard input has more than ${MAX_RAW_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
