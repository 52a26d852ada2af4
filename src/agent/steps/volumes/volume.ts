import { randomBytes } from 'node:crypto';
import type { EncryptionEntry, FetchSettings } from '../../document/document.ts';
import { RUN_DIR } from '../../document/paths.ts';
import type { StepContext } from '../../engine/step.ts';
import { fetchBytes } from '../../fetch/fetch.ts';
import type { BlockDevice } from '../../host/block-devices.ts';
import type { Host } from '../../host/host.ts';
import type { StoresSpec } from '../../stores/contract/store.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Content } from '../storage/devices/content.ts';
import { findDevice } from '../storage/devices/find-device.ts';
import { fetchProblem } from '../tools/fetch-problem.ts';
import { withOpened } from '../tools/sealed-content.ts';
import { SecretContents } from '../tools/secret-content.ts';
import { isSecret } from '../tools/secret-files.ts';
import { isSameUuid } from './begun.ts';

/** What keeps somebody who guesses busy keeps a small machine busy too. */
const TOOL_MS = 10 * 60_000;

/** A device with cryptsetup's commands on it. */
export class Volume {
  readonly #entry: EncryptionEntry;
  readonly path: string;
  readonly #context: StepContext;

  constructor(entry: EncryptionEntry, { path }: BlockDevice, context: StepContext) {
    this.#entry = entry;
    this.path = path;
    this.#context = context;
  }

  get name(): string {
    return this.#entry.name;
  }

  /** @throws Problem DiskInUse if the name stands for another device */
  async isOpen(): Promise<boolean> {
    const { host } = this.#context;
    if (!(await host.blockDevices.find(`/dev/mapper/${this.name}`))) return false;
    const { stdout } = await this.run('see what is open', ['cryptsetup', 'status', this.name]);
    const device = /^ *device: *(\S+)/m.exec(stdout)?.[1] ?? '';
    if ((await host.blockDevices.find(device))?.path === this.path) return true;
    throw new StepError(
      'DiskInUse',
      `/dev/mapper/${this.name} is there already, and is not on ${this.#entry.device}`,
    );
  }

  async format(uuid: string, { path }: VolumeKey): Promise<void> {
    const { label, options } = this.#entry;
    await this.run('clear', ['wipefs', '--all', this.path]);
    await this.run('encrypt', [
      ...(['cryptsetup', 'luksFormat', '--batch-mode', '--type', 'luks2', '--key-file', path] as const),
      ...(label ? ['--label', label] : []),
      ...['--uuid', uuid, ...options, this.path],
    ]);
  }

  async open({ path }: VolumeKey): Promise<void> {
    const { discard, openOptions } = this.#entry;
    await this.run('open', [
      ...(['cryptsetup', 'luksOpen', this.path, this.name, '--key-file', path, '--persistent'] as const),
      ...(discard ? ['--allow-discards'] : []),
      ...openOptions,
    ]);
    await findDevice(this.#context.host, `/dev/mapper/${this.name}`, this.#context.signal);
  }

  async close(): Promise<void> {
    await this.run('close', ['cryptsetup', 'luksClose', this.name]);
  }

  /** A volume that somebody else has made must be just what is asked for, and open with the key. @throws Problem DiskLeftAlone */
  async refuseOther(content: Content, key: VolumeKey | undefined): Promise<void> {
    const { label, uuid, clevis, device, discard } = this.#entry;
    const other = (why: string) =>
      new StepError('DiskLeftAlone', `${device} is encrypted already, ${why}, and wipeVolume is not true`);
    if (clevis) throw other('and what clevis has bound to it is not known');
    if (key === undefined) throw other('and its key is not given');
    const { stdout } = await this.run('look at', ['cryptsetup', 'luksDump', this.path]);
    if (!/^Version:\s+2$/m.test(stdout)) throw other('by another version of LUKS');
    if (label !== undefined && (/^Label:\s+(.*)$/m.exec(stdout)?.[1] ?? '') !== label)
      throw other('has another label');
    if (uuid !== undefined && !isSameUuid(content.uuid, uuid)) throw other('has another UUID');
    if (/^Flags:.*\ballow-discards\b/m.test(stdout) !== discard) throw other('differs in discard');
    const test = ['cryptsetup', 'open', '--test-passphrase', '--key-file', key.path, this.path] as const;
    const { exitStatus } = await this.#context.host.processes.run({ argv: [...test], timeoutMs: TOOL_MS });
    if (exitStatus !== 0) throw other('by another key');
  }

  async run(what: string, argv: [string, ...string[]]): Promise<{ stdout: string }> {
    const { host, signal } = this.#context;
    const doing = `${what} the encrypted volume ${this.name} on ${this.#entry.device}`;
    return runTool(host, argv, { doing, code: 'DeviceNotEncrypted', timeoutMs: TOOL_MS, signal });
  }
}

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

/** Devices to encrypt, and how their keys are had. */
export interface EncryptionSpec {
  entries: EncryptionEntry[];
  fetching: FetchSettings;
  stores?: StoresSpec;
}
