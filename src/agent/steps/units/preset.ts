import type { UnitEntry } from '../../document/document.ts';

/**
 * The text of Ignition's preset file with a line for each unit, in the order of their names; instances of a
 * template share one. Lines that are there already are not added again.
 */
export function withPresets(present: string, units: readonly UnitEntry[]): string {
  const lines = new Map<string, { verb: string; unit: string; instances: string[] }>();
  for (const { name, enabled } of units) {
    const verb = enabled === true ? 'enable' : 'disable';
    const [, prefix, instance, type] = /^([^@]*@)(.*)(\.[^.]+)$/.exec(name) ?? [];
    const unit = prefix === undefined ? name : `${prefix}${type}`;
    const key = `${unit}-${verb}d`;
    const line = lines.get(key) ?? { verb, unit, instances: [] };
    lines.set(key, line);
    if (instance !== undefined) line.instances.push(instance);
  }
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const known = present.split('\n');
  const added = sorted
    .map(([, { verb, unit, instances }]) =>
      unit.includes('@') ? `${verb} ${unit} ${instances.join(' ')}` : `${verb} ${unit}`,
    )
    .filter((line) => !known.includes(line));
  return present + added.map((line) => `${line}\n`).join('');
}
