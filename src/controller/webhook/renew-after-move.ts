import { readMachineToken } from '../attest/machine-token.ts';
import { Refused } from '../attest/refused.ts';
import type { InsertedFile } from './insert/inserted-file.ts';
import { readFiles } from './read-files.ts';
import { TOKEN_PATH } from './report-files.ts';

/** The genuine token in bootstrap data that was made for a Machine of this name with another UID. */
interface FormerToken {
  readonly uid: string;
  readonly authorities: readonly string[];
}

/**
 * `clusterctl move` makes Machines anew, with other UIDs, and their bootstrap data as they were. A token in them that this controller
 * made for a Machine of the same namespace and name shows that the data is that Machine's.
 *
 * @param keys all that sign tokens and count
 * @returns undefined where there is no such token
 */
export function formerToken(
  value: Uint8Array,
  machine: { readonly uid: string; readonly namespace: string; readonly name: string },
  keys: readonly Uint8Array[],
): FormerToken | undefined {
  const text = readFiles(value).find(({ path }) => path === TOKEN_PATH)?.content;
  if (text === undefined) return undefined;
  try {
    const token = readMachineToken(text.trim(), keys);
    const isOfMachine = token?.isFor(machine.namespace, machine.name) && token.uid !== machine.uid;
    return isOfMachine ? token : undefined;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** The bootstrap data with other contents of the files that were inserted before; everything else stays as it is, to the letter. */
export function withContents(value: Uint8Array, files: readonly InsertedFile[]): string {
  const before = readFiles(value);
  return files.reduce((text, { path, content }) => {
    const old = before.find((file) => file.path === path)?.content;
    return old === undefined ? text : text.replaceAll(base64(old), () => base64(content));
  }, Buffer.from(value).toString('utf8'));
}

function base64(content: string): string {
  return Buffer.from(content).toString('base64');
}
