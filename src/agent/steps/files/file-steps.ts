import { digest } from '../../../kit/digest.ts';
import { pluralize } from '../../../kit/pluralize.ts';
import { nodeProspect } from '../../callers/find-callers.ts';
import type { Document, FetchSettings, FileEntry } from '../../document/document.ts';
import { displayAddress, isSecretReference, readReference } from '../../stores/reference/reference.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { storesFor } from '../tools/secret-files.ts';
import type { TreeSpec } from './make-tree.ts';
import type { DeletionSpec } from './secret-deletion.ts';
import type { FilesSpec } from './write-files.ts';

/** Kinds of steps that write files, directories and links, and delete secrets at their source once they are written. */
export const files: StepKind<FilesSpec> = {
  name: 'files',
  plan: (document) => planned(document, { id: 'files', what: 'file', isDeferred: false }),
  details: ({ entries }) => entries.map(describe),
  preview: async (specs, context) => (await import('./preview-files.ts')).previewFiles(specs, context),
  work: async () => (await import('./write-files.ts')).writeFiles,
};

export const deferredFiles: typeof files = {
  ...files,
  plan: (document) => planned(document, { id: 'files/deferred', what: 'deferred file', isDeferred: true }),
};

function planned(
  document: Document,
  { id, what, isDeferred }: { id: string; what: string; isDeferred: boolean },
): ReturnType<typeof files.plan> {
  const entries = document.files.filter(({ defer, rule }) => defer === isDeferred && rule === undefined);
  if (entries.length === 0) return [];
  const title = `write ${pluralize(entries.length, what)}`;
  return [{ id, title, spec: { entries, ...storesFor(document, entries) } }];
}

function describe({ path, content, from, mode, owner, append, rule }: FileEntry): string {
  const place = `${path} ${octal(mode)} ${owner}`;
  if (from) return `fetch ${place} from ${displayAddress(from.url.reveal())}`;
  const bytes = content.reveal();
  const how = append ? 'append' : rule?.present === 'keep' ? 'touch' : 'write';
  return `${how} ${place} ${bytes.length} bytes ${digest(bytes).slice(0, 12)}`;
}

export const secretDeletion: StepKind<DeletionSpec> = {
  name: 'secret-deletion',
  plan: (document) => {
    const addresses = document.files.flatMap(({ from }) =>
      from && isDeletedLater(from.url.reveal()) ? [from.url] : [],
    );
    return addresses.length === 0
      ? []
      : [
          {
            id: 'secrets/deleted',
            title: `delete ${pluralize(addresses.length, 'secret')} at the source`,
            spec: {
              ...{ addresses, ...storesFor(document, document.files) },
              ...(!document.withoutKubeadm && nodeProspect(document) === 'maybe' ? { ifNode: true } : {}),
            },
          },
        ];
  },
  details: ({ addresses }) => addresses.map((address) => `delete ${displayAddress(address.reveal())}`),
  work: async () => (await import('./secret-deletion.ts')).deleteSecrets,
};

function isDeletedLater(address: string): boolean {
  const reference = isSecretReference(address) ? readReference(address) : undefined;
  return reference !== undefined && 'isDeleted' in reference && reference.isDeleted;
}

export const tree: StepKind<TreeSpec> = {
  name: 'tree',
  plan: (document: Document) => {
    const { files: all, directories = [], links = [], fetching = NO_SETTINGS } = document;
    const files = all.filter(({ rule }) => rule !== undefined);
    const parts = [
      ...(files.length > 0 ? [pluralize(new Set(files.map(({ path }) => path)).size, 'file')] : []),
      ...(directories.length > 0
        ? [pluralize(directories.length, 'directory').replace('directorys', 'directories')]
        : []),
      ...(links.length > 0 ? [pluralize(links.length, 'link')] : []),
    ];
    if (parts.length === 0) return [];
    const spec = { files, directories, links, fetching, ...storesFor(document, files) };
    return [{ id: 'files', title: `make ${parts.join(', ')}`, spec }];
  },
  details: ({ files, directories, links }) => [
    ...directories.map(({ path, mode, owner }) => `directory ${path} ${octal(mode)} ${owner}`),
    ...files.map(describe),
    ...links.map(({ path, target, hard }) => `${hard ? 'hard link' : 'link'} ${path} -> ${target}`),
  ],
  preview: async (specs, context) => (await import('./preview-tree.ts')).previewTree(specs, context),
  work: async () => (await import('./make-tree.ts')).makeTree,
};

/** The same beside files of cloud-init, whose step has the other's id. */
export const treeBeside: typeof tree = {
  ...tree,
  // Packages and files before it may change everything.
  preview: async () => [],
  plan: (document) => tree.plan(document).map((wanted) => ({ ...wanted, id: 'tree' })),
};

const NO_SETTINGS: FetchSettings = { authorities: [] };

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
