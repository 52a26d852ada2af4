import { digest } from '../../../kit/digest.ts';
import { pluralize } from '../../../kit/pluralize.ts';
import { nodeProspect } from '../../callers/find-callers.ts';
import type { Document, FetchSettings } from '../../document/document.ts';
import { displayAddress, isSecretReference, readReference } from '../../stores/reference/reference.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { storesFor } from '../tools/secret-files.ts';
import type { TreeSpec } from './make-tree.ts';
import type { DeletionSpec } from './secret-deletion.ts';
import type { FilesSpec } from './write-files.ts';

/** Kinds of steps that write files, directories and links, and delete secrets at their source once they are written. */
export const files: StepKind<FilesSpec> = {
  name: 'files',
  plan: (document) => {
    const entries = document.files.filter(({ defer, rule }) => !defer && rule === undefined);
    return entries.length === 0
      ? []
      : [
          {
            id: 'files',
            title: `write ${pluralize(entries.length, 'file')}`,
            spec: { entries, ...storesFor(document, entries) },
          },
        ];
  },
  details: ({ entries }) =>
    entries.map(({ path, content, from, mode, owner, append }) => {
      const bytes = content.reveal();
      if (from)
        return `fetch ${path} ${mode.toString(8).padStart(4, '0')} ${owner} from ${displayAddress(from.url.reveal())}`;
      const how = append ? 'append' : 'write';
      return `${how} ${path} ${mode.toString(8).padStart(4, '0')} ${owner} ${bytes.length} bytes ${digest(bytes).slice(0, 12)}`;
    }),
  preview: async (specs, context) => (await import('./preview-files.ts')).previewFiles(specs, context),
  work: async () => (await import('./write-files.ts')).writeFiles,
};

export const deferredFiles: typeof files = {
  ...files,
  plan: (document) => {
    const entries = document.files.filter(({ defer, rule }) => defer && rule === undefined);
    return entries.length === 0
      ? []
      : [
          {
            id: 'files/deferred',
            title: `write ${pluralize(entries.length, 'deferred file')}`,
            spec: { entries, ...storesFor(document, entries) },
          },
        ];
  },
};

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
    ...files.map(({ path, content, from, mode, owner, append, rule }) => {
      const bytes = content.reveal();
      if (from) return `fetch ${path} ${octal(mode)} ${owner} from ${displayAddress(from.url.reveal())}`;
      const how = append ? 'append' : rule?.present === 'keep' ? 'touch' : 'write';
      return `${how} ${path} ${octal(mode)} ${owner} ${bytes.length} bytes ${digest(bytes).slice(0, 12)}`;
    }),
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
