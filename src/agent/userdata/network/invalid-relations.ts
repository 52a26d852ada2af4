import type { NetworkLink } from '../../document/network-settings.ts';

/** What is wrong with what links say of each other, in words: nobody is in itself, or in two others. */
export function invalidRelations(links: readonly NetworkLink[]): string[] {
  const wrong: string[] = [];
  const above = new Map<string, string>();
  for (const { id, bond, bridge } of links)
    for (const member of [...(bond?.members ?? []), ...(bridge?.members ?? [])]) {
      const other = above.get(member);
      if (other !== undefined && other !== id) wrong.push(`${member} is in ${other} and in ${id}.`);
      above.set(member, id);
    }
  const vlans = Map.groupBy(links, ({ vlan }) => vlan?.link);
  // A vlan stands on its link as a bond stands on its members.
  const next = (id: string) => [above.get(id), ...(vlans.get(id) ?? []).map((vlan) => vlan.id)];
  for (const { id } of links) {
    const seen = new Set<string>();
    const open = next(id);
    for (let found = open.pop(); open.length > 0 || found !== undefined; found = open.pop()) {
      if (found === undefined || seen.has(found)) continue;
      seen.add(found);
      open.push(...next(found));
    }
    if (seen.has(id)) wrong.push(`${id} stands on itself.`);
  }
  return wrong;
}
