import { printable, type Report } from '../../../text/report.ts';
import { misfits } from '../../../text/shape/check-shape.ts';
import type { MappingEntry } from '../../../text/yaml/node.ts';
import { ACCOUNT_SHAPES } from './account-shapes.ts';
import { PACKAGE_SHAPES } from './package-shapes.ts';
import { SYSTEM_SHAPES } from './system-shapes.ts';

const SHAPES = { ...SYSTEM_SHAPES, ...ACCOUNT_SHAPES, ...PACKAGE_SHAPES };

/**
 * Warns of every value that has not the shape that cloud-init's schema asks for: cloud-init warns of it too, and what it does
 * then differs from release to release. Lines of which `report` tells already are left out.
 */
export function warnOfShapes(keys: ReadonlyMap<string, MappingEntry>, report: Report): void {
  if (keys.size === 0 && !report.failed)
    report.warn('UserDataInvalid', 'The cloud-config has no keys; nothing comes of it.');
  const told = new Set(report.entries.flatMap(({ where }) => where?.line ?? []));
  for (const [name, { value }] of keys) {
    const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
    if (shape === undefined) continue;
    for (const { path, expected, where } of misfits(shape, value, printable(name))) {
      if (told.has(where.line)) continue;
      told.add(where.line);
      report.warn('UserDataInvalid', `${path} ${expected} (cloud-init's schema).`, where);
    }
  }
}
