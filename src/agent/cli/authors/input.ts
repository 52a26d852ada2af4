import { resolve } from 'node:path';
import { UsageError } from '../../../kit/errors.ts';
import { type Code, codes } from '../../../protocol/codes/codes.ts';
import { type Host, HostError } from '../../host/host.ts';
import { MAX_RAW_BYTES } from '../../text/limits.ts';
import { NOT_IN_IMAGE } from '../../userdata/cloud-config/accounts/default-user.ts';
import { codeOfUnreadable } from '../../userdata/unreadable.ts';

/** A file that was named cannot be read. */
export class UnreadableInput extends UsageError {
  readonly code: Code;
  readonly why: string;
  readonly remedy: string;

  constructor(file: string, why: string, code: Code) {
    const remedy = code === 'UserDataNotFound' ? 'Give files that are there.' : codes()[code].fix;
    super(`${file} cannot be read: ${why} [${code}]\n  ${remedy}`);
    this.code = code;
    this.why = why;
    this.remedy = remedy;
  }
}

/** The bytes of a file, or of standard input for `-`. @throws UnreadableInput */
export async function readInput(host: Host, file: string): Promise<Buffer> {
  if (file === '-') return readStdin();
  if (file === '') throw new UsageError('the name of the file is empty; is a variable not set?');
  const path = resolve(file);
  try {
    return await host.files.read(path, MAX_RAW_BYTES);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const why = error.message.replace(`reading ${path}: `, '');
    throw new UnreadableInput(file, why, codeOfUnreadable(error));
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

/** What the reader says of an image that has no default user, where no image is known; undefined for all else. */
export function withoutImageMessage(message: string): string | undefined {
  if (!message.includes(NOT_IN_IMAGE)) return undefined;
  const isNameless = message.startsWith('users: an item has no name');
  const key = isNameless
    ? 'the item of users that has no name'
    : /^(?:users: default|[a-z_]+: ssh_redirect_user|[a-z_]+)/.exec(message)?.[0];
  const what = key ?? "the metadata's public keys";
  return `What becomes of ${what}, the image decides: system_info.default_user in its /etc/cloud/cloud.cfg says who the default user is.`;
}
