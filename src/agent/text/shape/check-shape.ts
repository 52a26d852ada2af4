import type { Position } from '../../document/document.ts';
import { printable } from '../diagnostics.ts';
import { describe, pythonText, type YamlNode } from '../yaml/yaml-node.ts';
import type { Shape } from './shape.ts';

/** Where a value has not its shape, and what the shape is. */
export interface ShapeMismatch {
  /** Keys and list indexes from the root, such as `write_files.0.owner`. */
  path: string;
  expected: string;
  where: Position;
}

/** Every place where `node` differs from its shape, the outermost first. */
export function shapeMismatches(shape: Shape, node: YamlNode, path: string): ShapeMismatch[] {
  const wrong = (expected: string, place: YamlNode = node): ShapeMismatch[] => [
    { path, expected, where: place.where },
  ];
  switch (shape.kind) {
    case 'anything':
      return [];
    case 'either':
      return ofAlternatives(shape.of, node, path);
    case 'old':
      return wrong(`is an old spelling of ${shape.now}`);
    case 'list':
      return node.kind === 'sequence' ? ofList(shape, node.items, wrong, path) : wrong(wanted(shape, node));
    case 'map':
      return node.kind === 'mapping' ? ofMap(shape, node, path) : wrong(wanted(shape, node));
    case 'table':
      if (node.kind !== 'mapping') return wrong(wanted(shape, node));
      return node.entries.flatMap(({ key, value }) => {
        const name = pythonText(key) ?? '';
        const place = `${path}.${printable(name)}`;
        if (shape.like !== undefined && !shape.like.test(name))
          return [{ path: place, expected: `is not one of the keys ${shape.words ?? ''}`, where: key.where }];
        return shapeMismatches(shape.values, value, place);
      });
    default:
      return fits(shape, node) ? [] : wrong(wanted(shape, node));
  }
}

type Scalar = Extract<Shape, { kind: 'text' | 'whole' | 'bool' | 'nothing' }>;

function fits(shape: Scalar, node: YamlNode): boolean {
  if (shape.kind === 'nothing') return node.kind === 'null';
  if (shape.kind === 'bool')
    return node.kind === 'bool' && (shape.only === undefined || node.value === shape.only);
  if (shape.kind === 'whole')
    return (
      node.kind === 'int' &&
      (shape.min ?? Number.NEGATIVE_INFINITY) <= node.value &&
      node.value <= (shape.max ?? Number.POSITIVE_INFINITY)
    );
  // What YAML did not take for a string is none, a date without quotes neither.
  if (node.kind !== 'string' && node.kind !== 'binary') return false;
  const value = node.kind === 'string' ? node.value : '';
  return (shape.only?.includes(value) ?? true) && (shape.like?.test(value) ?? true);
}

function ofList(
  shape: Extract<Shape, { kind: 'list' }>,
  items: readonly YamlNode[],
  wrong: (expected: string, place?: YamlNode) => ShapeMismatch[],
  path: string,
): ShapeMismatch[] {
  if (items.length < shape.min)
    return wrong(items.length === 0 ? 'is an empty list' : `must have ${shape.min} items`);
  if (shape.max !== undefined && items.length > shape.max)
    return wrong(`must have at most ${shape.max} items`, items[shape.max]);
  const texts = items.map(pythonText);
  const again = texts.findIndex((value, index) => value !== undefined && texts.indexOf(value) < index);
  if (shape.unique && again !== -1) return wrong('has the same item twice', items[again]);
  return items.flatMap((item, index) => shapeMismatches(shape.items, item, `${path}.${index}`));
}

function ofMap(
  shape: Extract<Shape, { kind: 'map' }>,
  node: Extract<YamlNode, { kind: 'mapping' }>,
  path: string,
): ShapeMismatch[] {
  const names = new Set(node.entries.map(({ key }) => pythonText(key) ?? ''));
  const missing = shape.required.filter((name) => !names.has(name));
  const found: ShapeMismatch[] = missing.map((name) => ({
    path,
    expected: `has no ${name}`,
    where: node.where,
  }));
  if (missing.length === 0 && names.size < shape.min)
    found.push({ path, expected: 'is an empty mapping', where: node.where });
  for (const { key, value } of node.entries) {
    const name = pythonText(key) ?? '';
    const place = `${path}.${printable(name)}`;
    const inner = Object.hasOwn(shape.keys, name) ? shape.keys[name] : shape.rest;
    if (inner === undefined) found.push({ path: place, expected: 'is not known', where: key.where });
    else found.push(...shapeMismatches(inner, value, place));
  }
  return found;
}

/** None where one alternative fits; else what is wrong with the one that comes nearest. */
function ofAlternatives(shapes: readonly Shape[], node: YamlNode, path: string): ShapeMismatch[] {
  const all = shapes.map((shape) => shapeMismatches(shape, node, path));
  if (all.some((found) => found.length === 0)) return [];
  const inner = all.filter((found) => found.every((misfit) => misfit.path !== path));
  const [nearest] = inner.sort((a, b) => a.length - b.length);
  if (nearest !== undefined) return nearest;
  const same = all.filter((_, index) => isCollection(shapes[index]) && kindOf(shapes[index]) === node.kind);
  return same[0] ?? [{ path, expected: wanted({ kind: 'either', of: shapes }, node), where: node.where }];
}

function isCollection(shape: Shape | undefined): boolean {
  return shape?.kind === 'list' || shape?.kind === 'map' || shape?.kind === 'table';
}

function kindOf(shape: Shape | undefined): YamlNode['kind'] | undefined {
  return shape?.kind === 'list' ? 'sequence' : isCollection(shape) ? 'mapping' : undefined;
}

function wanted(shape: Shape, node: YamlNode): string {
  return node.kind === 'null'
    ? `is empty; it must be ${words(shape)}`
    : `must be ${words(shape)}, not ${given(node)}`;
}

function given(node: YamlNode): string {
  return node.kind === 'string' ? 'this text' : describe(node);
}

function words(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      return shape.only?.join(' or ') ?? shape.words ?? 'a string (put it in quotes)';
    case 'whole':
      return `a number${shape.min === undefined ? '' : ` from ${shape.min}`}${shape.max === undefined ? '' : ` to ${shape.max}`}`;
    case 'bool':
      return shape.only === undefined ? 'true or false' : String(shape.only);
    case 'nothing':
      return 'nothing';
    case 'list':
      return 'a list';
    case 'map':
    case 'table':
      return 'a mapping';
    case 'old':
      return shape.now;
    case 'anything':
      return 'anything';
    case 'either':
      return [...new Set(shape.of.filter(({ kind }) => kind !== 'nothing').map(words))].join(' or ');
  }
}
