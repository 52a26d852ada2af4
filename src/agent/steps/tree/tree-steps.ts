import { counted } from '../../../kit/counted.ts';
import { digest } from '../../../kit/digest.ts';
import type { Document, FetchSettings } from '../../document/document.ts';
import { shownAddress } from '../../stores/reference/reference.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { storesFor } from '../tools/secret-files.ts';
import type { TreeSpec } from './tree.ts';

export const tree: StepKind<TreeSpec> = {
  name: 'tree',
  plan: (document: Document) => {
    const { files: all, directories = [], links = [], fetching = NO_SETTINGS } = document;
    const files = all.filter(({ rule }) => rule !== undefined);
    const parts = [
      ...(files.length > 0 ? [counted(new Set(files.map(({ path }) => path)).size, 'file')] : []),
      ...(directories.length > 0
        ? [counted(directories.length, 'directory').replace('directorys', 'directories')]
        : []),
      ...(links.length > 0 ? [counted(links.length, 'link')] : []),
    ];
    if (parts.length === 0) return [];
    const spec = { files, directories, links, fetching, ...storesFor(document, files) };
    return [{ id: 'files', title: `make ${parts.join(', ')}`, spec }];
  },
  details: ({ files, directories, links }) => [
    ...directories.map(({ path, mode, owner }) => `directory ${path} ${octal(mode)} ${owner}`),
    ...files.map(({ path, content, from, mode, owner, append, rule }) => {
      const bytes = content.reveal();
      if (from) return `fetch ${path} ${octal(mode)} ${owner} from ${shownAddress(from.url.reveal())}`;
      const how = append ? 'append' : rule?.present === 'keep' ? 'touch' : 'write';
      return `${how} ${path} ${octal(mode)} ${owner} ${bytes.length} bytes ${digest(bytes).slice(0, 12)}`;
    }),
    ...links.map(({ path, target, hard }) => `${hard ? 'hard link' : 'link'} ${path} -> ${target}`),
  ],
  preview: async (specs, context) => (await import('../files/preview-tree.ts')).previewTree(specs, context),
  work: async () => (await import('./tree.ts')).makeTree,
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
