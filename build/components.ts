import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './project.ts';

/** Everything of manifests/ in one file, in the order of its kustomization, which does nothing but list. */
export function components(folder = join(root, 'manifests')): string {
  const { resources, ...others } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as {
    resources: string[];
  };
  const strange = Object.keys(others);
  if (strange.length > 0) {
    throw new Error(
      `kustomization.yaml does more than list (${strange.join(', ')}); components() cannot follow`,
    );
  }
  return resources.map((name) => `${readFileSync(join(folder, name), 'utf8').trimEnd()}\n`).join('---\n');
}
