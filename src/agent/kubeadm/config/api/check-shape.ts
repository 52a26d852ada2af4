/**
 * Holds a document against the shape of its API version: unknown fields and wrong types, each with its place.
 */

import { editDistance } from '../../../../kit/edit-distance.ts';
import type { ConfigDocument } from '../yaml/config-documents.ts';
import type { ConfigNode, MapNode } from '../yaml/config-node.ts';
import { isGoDuration } from '../yaml/go-duration.ts';
import type { ConfigProblem } from './problem.ts';
import { isNullNode } from './problem.ts';
import { type Field, isOwnKind, NAME_AND_VALUE, SCHEMA, type Shape } from './schema.ts';
import { type ApiVersion, isAtLeast } from './versions.ts';

interface At {
  document: ConfigDocument;
  version: ApiVersion;
  problems: ConfigProblem[];
  depth: number;
}

/**
 * The problems of one of kubeadm's own documents. Wrong types are errors, because every version of kubeadm
 * refuses them; unknown fields are warnings, because kubeadm passes over them. Empty for a kind that is not
 * looked into.
 */
export function checkShape(document: ConfigDocument, version: ApiVersion): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (isOwnKind(document.kind))
    checkNode(
      { document, version, problems, depth: 0 },
      document.map,
      SCHEMA[document.kind],
      document.kind,
      '',
    );
  return problems;
}

function checkNode(at: At, node: ConfigNode, shape: Shape, owner: string, path: string): void {
  if (isNullNode(node) || at.depth > 50) return;
  const deeper = { ...at, depth: at.depth + 1 };
  const wrong = (what: string) => report(at, 'error', `${path || owner} must be ${what}`, node.at);
  switch (shape.kind) {
    case 'anything':
      break;
    case 'object':
      if (node.kind === 'map') checkFields(deeper, node, shape.fields, path);
      else wrong('a mapping of fields');
      break;
    case 'map':
      if (node.kind !== 'map') wrong('a mapping of names to values');
      else {
        for (const [key, { value }] of node.pairs)
          checkNode(deeper, value, shape.of, owner, `${path}.${key}`);
      }
      break;
    case 'list':
      if (node.kind !== 'list') wrong('a list');
      else {
        node.items.forEach((item, index) => {
          checkNode(deeper, item, shape.of, owner, `${path}[${index}]`);
        });
      }
      break;
    case 'arguments':
      checkArguments(at, node, owner, path);
      break;
    default:
      checkScalar(node, shape.kind, wrong);
  }
}

function checkArguments(at: At, node: ConfigNode, owner: string, path: string): void {
  const asList = isAtLeast(at.version, 'v1beta4');
  if (node.kind === (asList ? 'list' : 'map')) {
    const shape: Shape = asList
      ? { kind: 'list', of: NAME_AND_VALUE }
      : { kind: 'map', of: { kind: 'text' } };
    checkNode(at, node, shape, owner, path);
    return;
  }
  const what = asList
    ? 'a list of entries with name and value, as in v1beta4'
    : `a mapping of flags to values, as in ${at.version}`;
  report(at, 'error', `${path} must be ${what}`, node.at);
}

function checkFields(at: At, map: MapNode, fields: Record<string, Field>, path: string): void {
  for (const [key, { keyAt, value }] of map.pairs) {
    const here = path === '' ? key : `${path}.${key}`;
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) {
      const meant = nearestField(key, Object.keys(fields));
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      report(
        at,
        'warning',
        `${here} is not a field of ${at.document.kind}, and kubeadm ignores it${hint}`,
        keyAt,
      );
    } else if (field.since !== undefined && !isAtLeast(at.version, field.since)) {
      const what = `${here} was added in ${field.since}, and kubeadm ignores it in ${at.version}`;
      report(at, 'warning', what, keyAt);
    } else if (field.until !== undefined && !isAtLeast(field.until, at.version)) {
      const now = field.now === undefined ? '' : `; it is now ${field.now}`;
      const what = `${here} was removed after ${field.until}, and kubeadm ignores it in ${at.version}${now}`;
      report(at, 'warning', what, keyAt);
    } else checkNode(at, value, field, at.document.kind, here);
  }
}

/** How go-yaml reads a plain word as a yes or no. */
const YES_NO = /^(true|false|yes|no|on|off)$/i;
const NUMBER = /^[-+]?(\d+|\d*\.\d+|\d+\.\d*)([eE][-+]?\d+)?$/;

function checkScalar(
  node: ConfigNode,
  kind: 'text' | 'yes-no' | 'number' | 'duration',
  wrong: (what: string) => void,
): void {
  if (node.kind !== 'scalar') {
    wrong(kind === 'yes-no' ? 'true or false' : `a ${kind}`);
    return;
  }
  const { value, source } = node;
  // Only what both readers take for a number or a yes or no; what one of them may take for text is left
  // alone.
  const isBoolean = typeof value === 'boolean' && YES_NO.test(source);
  const isNumber = typeof value === 'number' && NUMBER.test(source);
  if (kind === 'text' && (isBoolean || isNumber))
    wrong(`a string: put ${isNumber ? 'the number' : 'it'} in quotes`);
  if (kind === 'yes-no' && (isNumber || typeof value === 'string')) wrong('true or false, without quotes');
  if (kind === 'number' && (isBoolean || typeof value === 'string')) wrong('a number, without quotes');
  if (kind === 'number' && isNumber && !Number.isInteger(value)) wrong('a whole number');
  if (kind === 'duration' && (isBoolean || isNumber)) wrong('a duration such as "5m0s"');
  if (kind === 'duration' && typeof value === 'string' && !isGoDuration(value))
    wrong('a duration such as 5m0s');
}

function report(at: At, severity: ConfigProblem['severity'], message: string, offset: number): void {
  const code = severity === 'error' ? 'KubeadmConfigInvalid' : 'KubeadmConfigFieldUnknown';
  at.problems.push({ severity, code, message, ...at.document.place(offset) });
}

/** The known word that a misspelt one most likely stands for; undefined when none is near. */
function nearestField(word: string, known: readonly string[]): string | undefined {
  const bare = plain(word);
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(bare, plain(name));
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  return best !== undefined && best.distance <= Math.min(2, bare.length / 3) ? best.name : undefined;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '');
}
