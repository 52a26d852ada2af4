import type { Document, FileEntry } from '../../document/document.ts';
import type { StoresSpec } from '../../stores/contract/store.ts';
import { isSecretReference, readReference } from '../../stores/reference/reference.ts';

/** Is its content a reference to a secret? */
export function isSecret({ from }: Pick<FileEntry, 'from'>): boolean {
  return from !== undefined && isSecretReference(from.url.reveal());
}

/** A store gives it once only, or is to forget it. */
export function isHadOnce({ from }: Pick<FileEntry, 'from'>): boolean {
  const reference = from && readReference(from.url.reveal());
  if (reference === undefined || !('kind' in reference) || reference.kind !== 'stored') return false;
  return reference.isDeleted || reference.store === 'vault-wrapped';
}

/** What the stores are asked with; nothing where none of these files is a secret of a store. */
export function storesFor(
  { node, fetching }: Pick<Document, 'node' | 'fetching'>,
  files: readonly Pick<FileEntry, 'from'>[],
): { stores?: StoresSpec } {
  if (!files.some(isSecret)) return {};
  const proxy = fetching?.proxy ?? node?.proxy;
  return { stores: { settings: node?.secrets ?? {}, ...(proxy ? { proxy } : {}) } };
}
