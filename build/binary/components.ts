import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { root } from '../project.ts';

const NAME = '            - --name=slipway-controller.slipway-system.svc\n';
/** clusterctl fills in variables; kubectl, which takes manifests/ as it is, would leave them as they are. */
const VARIABLE = `            - --name=\${SLIPWAY_ENDPOINT:=slipway-controller.slipway-system.svc}
`;

/** clusterctl puts every object into the namespace of the provider, so that rights would be given there. */
const FOR_DEFAULT = 'rbac/default-namespace.yaml';

/**
 * Everything of manifests/ in one file for clusterctl, in the order of its kustomization, which does nothing but list; without the
 * rights in a namespace, which an installer names (namespace-rights.yaml).
 *
 * @throws Error where that does more, or the variable has no place
 */
export function components(folder = join(root, 'manifests')): string {
  const { resources, ...others } = load(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as {
    resources: string[];
  };
  const strange = Object.keys(others);
  if (strange.length > 0) {
    throw new Error(
      `kustomization.yaml does more than list (${strange.join(', ')}); components() cannot follow`,
    );
  }
  const all = resources
    .filter((name) => name !== FOR_DEFAULT)
    .map((name) => `${readFileSync(join(folder, name), 'utf8').trimEnd()}\n`)
    .join('---\n');
  if (!all.includes(NAME)) throw new Error('the Deployment has no --name where clusterctl could add one');
  return all.replace(NAME, NAME + VARIABLE);
}
