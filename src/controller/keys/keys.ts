import type { KubeClient } from '../kube/client.ts';
import type { SqliteStore } from '../store/sqlite-store.ts';
import { Keys, type Material, makeMaterial } from './key-ring.ts';
import { type KeyStorage, makeOnce, readExisting } from './key-storage.ts';
import { authoritySecret } from './secret-storage.ts';

/** The authorities that count, in PEM. @throws Error if no controller has made one yet; KubeError */
export async function kubernetesCertificate(client: KubeClient, namespace: string): Promise<string> {
  return new Keys(await readExisting(authoritySecret(client, namespace))).trusted;
}

/** Reads them from the embedded store, whose file only its owner can read. */
export async function sqliteKeys(store: SqliteStore): Promise<Keys> {
  return new Keys(await makeOnce(new SqliteKeyStorage(store), makeMaterial));
}

/** A setting of the embedded store. */
export class SqliteKeyStorage implements KeyStorage<Material> {
  readonly name = 'authority';
  readonly #store: SqliteStore;
  #before: string | undefined;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  async read(): Promise<Material | undefined> {
    this.#before = this.#store.setting(SETTING);
    return this.#before === undefined ? undefined : (JSON.parse(this.#before) as Material);
  }

  write(material: Material): Promise<boolean> {
    return this.#store.putSetting(SETTING, JSON.stringify(material), this.#before);
  }
}

const SETTING = 'keys';
