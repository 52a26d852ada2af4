import { resolve } from 'node:path';
import { errorMessage, UsageError } from '../../../kit/errors.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import { type Host, HostError } from '../../host/host.ts';
import { MAX_RAW_BYTES } from '../../text/limits.ts';

/** A file that was named cannot be read. */
export class UnreadableInput extends UsageError {
  readonly code: Code;
  readonly why: string;

  constructor(file: string, why: string, code: Code = 'UserDataNotFound') {
    super(`${file} cannot be read: ${why}`);
    this.code = code;
    this.why = why;
  }
}

/** The bytes of a file, or of standard input for `-`. @throws UnreadableInput */
export async function readInput(host: Host, file: string): Promise<Buffer> {
  if (file === '-') return readStdin();
  const path = resolve(file);
  try {
    return await host.files.read(path, MAX_RAW_BYTES);
  } catch (error) {
    const why = errorMessage(error).replace(`reading ${path}: `, '');
    const isLarge = error instanceof HostError && error.errno === 'EFBIG';
    throw new UnreadableInput(file, why, isLarge ? 'UserDataTooLarge' : 'UserDataNotFound');
  }
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_RAW_BYTES)
      throw new UnreadableInput('standard input', `more than ${MAX_RAW_BYTES} bytes`, 'UserDataTooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
