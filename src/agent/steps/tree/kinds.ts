import { digest } from '../../../kit/digest.ts';
import type { Document } from '../../document/document.ts';
import { count, type StepKind } from '../kind/step-kind.ts';
import type { TreeSpec } from './tree.ts';

export const tree: StepKind<TreeSpec> = {
  name: 'tree',
  plan: ({ files: all, directories = [], links = [] }: Document) => {
    const files = all.filter(({ rule }) => rule !== undefined);
    const parts = [
      ...(files.length > 0 ? [count(new Set(files.map(({ path }) => path)).size, 'file')] : []),
      ...(directories.length > 0
        ? [count(directories.length, 'directory').replace('directorys', 'directories')]
        : []),
      ...(links.length > 0 ? [count(links.length, 'link')] : []),
    ];
    if (parts.length === 0) return [];
    return [{ id: 'files', title: `make ${parts.join(', ')}`, spec: { files, directories, links } }];
  },
  details: ({ files, directories, links }) => [
    ...directories.map(({ path, mode, owner }) => `directory ${path} ${octal(mode)} ${owner}`),
    ...files.map(({ path, content, mode, owner, append, rule }) => {
      const bytes = content.reveal();
      const how = append ? 'append' : rule?.present === 'keep' ? 'touch' : 'write';
      return `${how} ${path} ${octal(mode)} ${owner} ${bytes.length} bytes ${digest(bytes).slice(0, 12)}`;
    }),
    ...links.map(({ path, target, hard }) => `${hard ? 'hard link' : 'link'} ${path} -> ${target}`),
  ],
  work: async () => (await import('./tree.ts')).makeTree,
};

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
