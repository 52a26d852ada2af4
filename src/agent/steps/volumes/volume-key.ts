import { randomBytes } from 'node:crypto';
import type { EncryptionEntry } from '../../document/document.ts';
import { RUN_DIR } from '../../document/paths.ts';
import type { StepContext } from '../../engine/step.ts';
import { fetchBytes } from '../../fetch/fetch.ts';
import type { Host } from '../../host/host.ts';
import { fetchProblem } from '../tools/fetch-problem.ts';
import { withOpened } from '../tools/sealed-content.ts';
import { SecretContents } from '../tools/secret-content.ts';
import { isSecret } from '../tools/secret-files.ts';
import type { EncryptionSpec } from './encryption-spec.ts';

/** As many as Ignition makes; in hexadecimal digits, for clevis takes no others. */
const MADE_BYTES = 4096;
/** More than cryptsetup reads. */
const MOST_BYTES = 8 * 1024 * 1024;
const AS_FILE = { mode: 0o600, owner: '0:0', append: false, defer: false };
const OWNERS = { mode: 0o600, owner: '0:0', parentsMode: 0o700 };

/** The key of a volume in a file that nobody else can read. */
export interface VolumeKey {
  path: string;
  /** Puts it where later boots find it. */
  keep(): Promise<void>;
}

export function keptKeyPath(name: string): string {
  return `/etc/luks/${name}`;
}

/** Lends a key, given or made, in a file that a reboot empties. */
export async function withKey<T>(
  { files }: Host,
  name: string,
  given: Uint8Array | undefined,
  use: (key: VolumeKey) => Promise<T>,
): Promise<T> {
  const content = given ?? randomBytes(MADE_BYTES).toString('hex');
  const path = `${RUN_DIR}/luks-${name}`;
  await files.write(path, content, { ...OWNERS, volatile: true });
  try {
    return await use({ path, keep: () => files.write(keptKeyPath(name), content, OWNERS) });
  } finally {
    await files.remove(path);
  }
}

/** @throws Problem where the key that the config names is not had */
export async function givenKey(
  { name, key }: EncryptionEntry,
  { fetching, stores }: EncryptionSpec,
  { host, signal }: StepContext,
): Promise<Uint8Array | undefined> {
  if (key === undefined) return undefined;
  const file = { ...key, ...AS_FILE, path: keptKeyPath(name) };
  if (isSecret(file)) {
    const secrets = new SecretContents(host, stores, signal);
    const [filled = file] = await secrets.fill([file]).finally(() => secrets.close());
    return filled.content.reveal();
  }
  if (key.from === undefined) {
    const [opened = file] = await withOpened(host, [file]);
    return opened.content.reveal();
  }
  try {
    return await fetchBytes(host, key.from, fetching, MOST_BYTES, signal);
  } catch (error) {
    throw fetchProblem(error, `The key of ${name} was not fetched`);
  }
}
