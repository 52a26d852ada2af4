import type { Shape, Struct } from '../schema/shape.ts';
import type { Remarks } from './remarks.ts';

/** Refuses items of a list that are the same: two files of one path, two units of one name. */
export function checkDuplicates(value: object, shape: Struct, say: Remarks): void {
  const seen = new Map<string, Set<string>>();
  for (const [name, field] of Object.entries(shape.fields)) {
    const child: unknown = (value as Record<string, unknown>)[name];
    if (child === undefined) continue;
    if (field.shape.kind === 'list' && Array.isArray(child)) {
      const { item, key, together } = field.shape;
      checkList(child, key, groupOf(seen, together ?? name), say);
      for (const one of child) descend(one, item, say);
    } else descend(child, field.shape, say);
  }
}

function checkList(
  items: unknown[],
  key: ((item: never) => string) | undefined,
  seen: Set<string>,
  say: Remarks,
): void {
  if (key === undefined) return;
  items.forEach((item, index) => {
    const name = key(item as never);
    if (seen.has(name)) say.error(items, [index], 'is there a second time');
    seen.add(name);
  });
}

function groupOf(seen: Map<string, Set<string>>, name: string): Set<string> {
  const group = seen.get(name) ?? new Set<string>();
  seen.set(name, group);
  return group;
}

function descend(value: unknown, shape: Shape, say: Remarks): void {
  if (shape.kind === 'struct' && typeof value === 'object' && value !== null)
    checkDuplicates(value, shape, say);
}
