import type { Diagnostics } from '../../../text/diagnostics.ts';
import { type ShapeMismatch, shapeMismatches } from '../../../text/shape/check-shape.ts';
import { anything, list } from '../../../text/shape/shape.ts';
import { warnOfMismatches } from '../../../text/shape/warn-of-mismatches.ts';
import { type MappingNode, pythonText, valueAt, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { DEVICES } from './version1-shapes.ts';
import { VERSION2 } from './version2-shapes.ts';

/**
 * Warns of every value whose type is not what cloud-init's schemas of network configurations ask for, by path: the readers make
 * something of it, others may not.
 */
export function warnOfShapes(root: MappingNode, diagnostics: Diagnostics): void {
  warnOfMismatches(wrongOf(root), diagnostics);
}

function wrongOf(root: MappingNode): ShapeMismatch[] {
  const version = valueAt(root, 'version');
  const ofVersion =
    version === undefined || version.kind === 'int'
      ? []
      : [{ path: 'version', expected: 'must be a number', where: version.where }];
  const config = valueAt(root, 'config');
  if (config?.kind === 'sequence') return [...ofVersion, ...config.items.flatMap(ofDevice)];
  if (config !== undefined) return [...ofVersion, ...shapeMismatches(list(anything), config, 'config')];
  return [
    ...ofVersion,
    ...shapeMismatches(VERSION2, root, '').map(({ path, ...rest }) => ({ ...rest, path: path.slice(1) })),
  ];
}

function ofDevice(device: YamlNode, index: number): ShapeMismatch[] {
  const type = device.kind === 'mapping' ? valueAt(device, 'type') : undefined;
  const name = type === undefined ? '' : (pythonText(type) ?? '');
  const shape = Object.hasOwn(DEVICES, name) ? DEVICES[name] : undefined;
  return shape === undefined ? [] : shapeMismatches(shape, device, `config.${index}`);
}
