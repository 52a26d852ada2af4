/**
 * kubeadm's configuration file as YAML documents with their kinds; the first look at it, with line and
 * column.
 */

import { positionText } from '../../../../kit/position.ts';
import { plainText } from '../../../text/source-text.ts';
import { Parser, type Part } from '../../../text/yaml/parser.ts';
import { scan } from '../../../text/yaml/scan/scanner.ts';
import { YamlSyntaxError } from '../../../text/yaml/scan/syntax-error.ts';
import { forbiddenCharacter } from '../../../text/yaml/scan/text-rules.ts';
import { KubeadmError } from '../../kubeadm-error.ts';
import { ConfigMaker } from './config-maker.ts';
import { type ConfigNode, type MapNode, type Values, valuesOf } from './config-node.ts';

/** The kind that says what this machine becomes. */
export const NODE_KINDS = { init: 'InitConfiguration', join: 'JoinConfiguration' } as const;

export interface ConfigDocument {
  kind: string;
  /** e.g. `v1beta3` for kinds of kubeadm itself, the whole `group/version` for others. */
  version: string;
  /** One of kubeadm's own kinds and not the configuration of a component. */
  own: boolean;
  map: MapNode;
  /** The same without places. */
  values: Readonly<Values>;
  /** The document between its marks, in the text that `normalizeLineBreaks` gives. */
  source: string;
  from: number;
  to: number;
  /** Line and column of an offset in the file, from 1. */
  place(offset: number): { line: number; column: number };
}

/** 1 MiB, the limit that Cluster API has for a rendered file. */
const MAX_BYTES = 1024 * 1024;

/** The text without a byte order mark, its lines ended as Unix does. */
export function normalizeLineBreaks(text: string): string {
  return text.replace(/^\ufeff/, '').replace(/\r\n?|\u0085/g, '\n');
}

/**
 * Reads the documents of a kubeadm configuration file as kubeadm does; empty ones are passed over, as kubeadm does. What
 * that one accepts is not refused here.
 *
 * @param name How to call the file in errors.
 * @throws KubeadmError `KubeadmConfigInvalid`, its cause with line and column where they are known, never
 *   with values.
 */
export function readDocuments(text: string, name: string): ConfigDocument[] {
  if (text.length > MAX_BYTES) throw invalid(name, 'it is larger than 1 MiB');
  const usual = normalizeLineBreaks(text);
  const { locate: place } = plainText(usual);
  const refuse = (what: string, at: number) => {
    const { line, column } = place(at);
    return invalid(name, what, line, column);
  };
  const documents: ConfigDocument[] = [];
  for (const { node, from, to } of parts(usual, refuse)) {
    if (node.kind === 'scalar' && node.value === null) continue;
    if (node.kind !== 'map') throw refuse('a document is not a mapping of keys to values', node.at);
    const values = valuesOf(node);
    const { kind, apiVersion } = values;
    if (typeof kind !== 'string' || typeof apiVersion !== 'string')
      throw refuse('a document has no kind and apiVersion', node.at);
    if (documents.some((other) => other.kind === kind)) throw refuse(`${kind} appears twice`, node.at);
    const own = apiVersion.startsWith('kubeadm.k8s.io/');
    documents.push({
      kind,
      version: own ? apiVersion.slice('kubeadm.k8s.io/'.length) : apiVersion,
      own,
      map: node,
      values,
      source: usual.slice(from, to),
      from,
      to,
      place,
    });
  }
  return documents;
}

function parts(
  text: string,
  refuse: (what: string, at: number) => KubeadmError,
): (Pick<Part<unknown>, 'from' | 'to'> & { node: ConfigNode })[] {
  const forbidden = forbiddenCharacter(text);
  if (forbidden !== undefined)
    throw refuse(`YAML does not allow the character ${forbidden.name}`, forbidden.at);
  const maker = new ConfigMaker();
  try {
    return new Parser(scan(text, { tabs: true }), maker)
      .documents(() => maker.begin())
      .flatMap(({ built, from, to }) => (built === undefined ? [] : [{ node: built.node, from, to }]));
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    throw refuse(asClause(error.message), error.offset);
  }
}

export function invalid(name: string, what: string, line?: number, column = 1): KubeadmError {
  const where = line === undefined ? '' : ` (${positionText({ line, column })})`;
  return new KubeadmError(
    'KubeadmConfigInvalid',
    `The kubeadm configuration ${name} is not valid: ${what}${where}.`,
  );
}

/** A sentence as the end of another. */
function asClause(sentence: string): string {
  const clause = sentence.replace(/\.$/, '');
  return /^[A-Z][a-z ]/.test(clause) ? `${clause.charAt(0).toLowerCase()}${clause.slice(1)}` : clause;
}
