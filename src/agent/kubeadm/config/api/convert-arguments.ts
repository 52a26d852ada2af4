/** Flags for components: a mapping of names to values before v1beta4, a list of names and values since. */
import { isValues, type Values } from '../yaml/config-node.ts';
import { type Draft, section } from './draft.ts';

/** The places in kubeadm's documents where flags for a component stand. */
const PLACES: { kind: string; path: string[]; key: string }[] = [
  ...['apiServer', 'controllerManager', 'scheduler'].map((name) => ({
    kind: 'ClusterConfiguration',
    path: [name],
    key: 'extraArgs',
  })),
  { kind: 'ClusterConfiguration', path: ['etcd', 'local'], key: 'extraArgs' },
  { kind: 'InitConfiguration', path: ['nodeRegistration'], key: 'kubeletExtraArgs' },
  { kind: 'JoinConfiguration', path: ['nodeRegistration'], key: 'kubeletExtraArgs' },
];

export function argumentsToLists(draft: Draft): void {
  for (const { holder, key } of holders(draft)) {
    const given = holder[key];
    if (!isValues(given)) continue;
    holder[key] = Object.keys(given)
      .toSorted()
      .map((name) => ({ name, value: given[name] ?? '' }));
  }
}

/**
 * A flag that is given twice cannot be said by a mapping: the last one counts, as in kubeadm's own
 * conversion.
 */
export function argumentsToMaps(draft: Draft): void {
  for (const { holder, key, kind, path } of holders(draft)) {
    const given = holder[key];
    if (!Array.isArray(given)) continue;
    const map: Values = Object.create(null);
    given.forEach((entry: unknown, index) => {
      if (!isValues(entry) || typeof entry.name !== 'string') return;
      if (entry.name in map) {
        const name = entry.name;
        draft.lose(kind, [...path, key, index], `gives --${name} twice, and only the last value counts`);
      }
      map[entry.name] = entry.value ?? '';
    });
    holder[key] = { ...map };
  }
}

function holders(draft: Draft): { holder: Values; key: string; kind: string; path: string[] }[] {
  return PLACES.flatMap(({ kind, path, key }) => {
    const holder = section(draft.documents.get(kind), ...path);
    return holder === undefined ? [] : [{ holder, key, kind, path }];
  });
}
