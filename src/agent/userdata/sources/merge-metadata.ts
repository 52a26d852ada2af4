import type { Found, SourceAnswer } from './contract/answer.ts';

/**
 * The user data of one source with what another tells of the instance: its metadata with id, names, keys and addresses, and its
 * names of disks. The network is the first one's, where it has one. The other's callbacks of the reading run all the same.
 *
 * @param answer of the other source; empty user data of its own do not matter
 * @returns the answer itself where it tells nothing
 */
export function mergeMetadata(first: Found, answer: SourceAnswer, name: string): SourceAnswer {
  const other = answer.kind === 'found' ? answer : answer.kind === 'empty' ? answer.found : undefined;
  if (other === undefined) {
    if (answer.kind !== 'not-mine' && answer.kind !== 'empty') return answer;
    const reason = `The metadata is configured to come from ${name}, which has no metadata for this machine.`;
    return { kind: 'refused', source: name, reason };
  }
  const { metaData, ds, cloud, deviceAliases, remarks = [], networkConfig, callbacks = [] } = other;
  const { ds: _ds, cloud: _cloud, deviceAliases: _aliases, ...rest } = first;
  return {
    kind: 'found',
    ...(networkConfig ? { networkConfig } : {}),
    ...rest,
    source: `${first.source} with metadata of ${other.source}`,
    metadataOf: other.source,
    metaData,
    ...(ds ? { ds } : {}),
    ...(cloud ? { cloud } : {}),
    ...(deviceAliases ? { deviceAliases } : {}),
    remarks: [...(first.remarks ?? []), ...remarks],
    callbacks: [...(first.callbacks ?? []), ...callbacks.filter(({ when }) => when === 'read')],
  };
}
