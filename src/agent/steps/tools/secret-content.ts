import { rememberSecrets } from '../../../secrets/remembered.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { FileEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { secretsOfContent } from '../../redaction/document-secrets.ts';
import type { StoresSpec } from '../../stores/contract/store.ts';
import type { SecretStores } from '../../stores/open-stores.ts';
import { StepError } from '../../tools/step-error.ts';
import { isHadOnce, isSecret } from './secret-files.ts';

/** The secrets of one step's files. Stores are loaded when the first is asked for; close it in the end. */
export class SecretContents {
  readonly #host: Host;
  readonly #spec: StoresSpec;
  readonly #signal: AbortSignal | undefined;
  #stores: SecretStores | undefined;

  constructor(host: Host, spec: StoresSpec = { settings: {} }, signal?: AbortSignal) {
    this.#host = host;
    this.#spec = spec;
    this.#signal = signal;
  }

  /**
   * The entries with the secrets that they name, in memory only.
   *
   * @throws Problem that says which file's secret was not had, and why
   */
  async fill(entries: readonly FileEntry[]): Promise<FileEntry[]> {
    const filled: FileEntry[] = [];
    for (const entry of entries) filled.push(isSecret(entry) ? await this.#filled(entry) : entry);
    return filled;
  }

  /** The same after a reboot; what can be had once only, and is gone, is left out. @throws Problem */
  async fillAgain(entries: readonly FileEntry[]): Promise<FileEntry[]> {
    try {
      return await this.fill(entries);
    } catch (error) {
      const isGone = error instanceof StepError && /^Secret(?:NotFound|OpenedElsewhere)$/.test(error.code);
      if (isGone && entries.every(isHadOnce)) return [];
      throw error;
    }
  }

  /** @throws Problem FileNotWritten if what lies on the disk is not what was written */
  async confirm({ path, content, append }: FileEntry): Promise<void> {
    const there = (await this.#host.files.readIfPresent(path)) ?? Buffer.alloc(0);
    const wanted = content.reveal();
    if (!(append ? there.subarray(there.length - wanted.length) : there).equals(wanted))
      throw new StepError('FileNotWritten', `${path} was written, and does not hold the secret that it got`);
  }

  async remove(address: string): Promise<void> {
    await (await this.#opened()).remove(address);
  }

  async close(): Promise<void> {
    await this.#stores?.close();
    this.#stores = undefined;
  }

  async #filled({ from, ...entry }: FileEntry): Promise<FileEntry> {
    if (from === undefined) return entry;
    const { SecretError } = await import('../../platform/credentials/secret-error.ts');
    try {
      const content = await (await this.#opened()).read(from);
      rememberSecrets(secretsOfContent(content));
      return { ...entry, content: sensitive(content) };
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      const { code, message, remedy } = error;
      throw new StepError(code, `${entry.path} was not written: ${message}`, remedy ? { remedy } : {});
    }
  }

  async #opened(): Promise<SecretStores> {
    const { SecretStores: Stores } = await import('../../stores/open-stores.ts');
    const signal = this.#signal;
    this.#stores ??= new Stores({ host: this.#host, spec: this.#spec, ...(signal ? { signal } : {}) });
    return this.#stores;
  }
}
