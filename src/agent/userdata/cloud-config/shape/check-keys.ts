import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import { shapeMismatches } from '../../../text/shape/check-shape.ts';
import { anything, type Shape } from '../../../text/shape/shape.ts';
import { warnOfMismatches } from '../../../text/shape/warn-of-mismatches.ts';
import type { MappingEntry } from '../../../text/yaml/yaml-node.ts';
import { ACCOUNT_SHAPES, PACKAGE_SHAPES } from './account-shapes.ts';
import { SYSTEM_SHAPES } from './system-shapes.ts';

const SHAPES: Readonly<Record<string, Shape>> = { ...SYSTEM_SHAPES, ...ACCOUNT_SHAPES, ...PACKAGE_SHAPES };

/**
 * Warns of every value that has not the shape that cloud-init's schema asks for: cloud-init warns of it too, and what it does
 * then differs from release to release.
 */
export function warnOfShapes(keys: ReadonlyMap<string, MappingEntry>, diagnostics: Diagnostics): void {
  if (keys.size === 0 && !diagnostics.failed)
    diagnostics.warn('UserDataInvalid', 'The cloud-config has no keys and has no effect.');
  const wrong = [...keys].flatMap(([name, { value }]) =>
    Object.hasOwn(SHAPES, name) ? shapeMismatches(SHAPES[name] ?? anything, value, printable(name)) : [],
  );
  warnOfMismatches(wrong, diagnostics);
}
