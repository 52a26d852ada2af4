/**
 * kubeadm's configuration file as YAML documents with their kinds; the first look at it, with line and
 * column.
 */

import { type Document, isMap, isScalar, LineCounter, parseAllDocuments, type YAMLMap } from 'yaml';
import { positionText } from '../../../../kit/position.ts';
import { KubeadmError } from '../../kubeadm-error.ts';
import { type Aliases, aliasesOf } from './aliases.ts';

/** The kind that says what this machine becomes. */
export const NODE_KINDS = { init: 'InitConfiguration', join: 'JoinConfiguration' } as const;

export interface ConfigDocument {
  kind: string;
  /** e.g. `v1beta3` for kinds of kubeadm itself, the whole `group/version` for others. */
  version: string;
  /** One of kubeadm's own kinds and not the configuration of a component. */
  own: boolean;
  map: YAMLMap;
  parsed: Document.Parsed;
  /** What aliases stand for. */
  targets: Aliases['targets'];
  /** Line and column of an offset in the file, from 1. */
  place(offset: number): { line: number; column: number };
}

/** 1 MiB, the limit that Cluster API has for a rendered file. */
const MAX_BYTES = 1024 * 1024;
/** Nodes that aliases may add. kubeadm's own reader refuses "excessive aliasing" too. */
const MAX_ADDED = 100_000;

/**
 * Reads the documents of a kubeadm configuration file; empty ones are passed over, as kubeadm does.
 *
 * @param name How to call the file in errors.
 * @throws KubeadmError `KubeadmConfigInvalid`, its cause with line and column where they are known, never
 *   with values.
 */
export function readDocuments(text: string, name: string): ConfigDocument[] {
  if (text.length > MAX_BYTES) throw invalid(name, 'it is larger than 1 MiB');
  const lines = new LineCounter();
  // YAML 1.1, as in kubeadm's own reader.
  const parsed = parseAllDocuments(text, {
    version: '1.1',
    // As lenient as kubeadm's reader: what that one accepts must not be refused here.
    strict: false,
    uniqueKeys: false,
    lineCounter: lines,
    prettyErrors: false,
    // Else Node.js prints on the console that a key is no text.
    logLevel: 'error',
  });
  const place: ConfigDocument['place'] = (offset) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const documents: ConfigDocument[] = [];
  for (const document of parsed as Document.Parsed[]) {
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw invalid(name, plainMessage(error.message), line, col);
    }
    const root = document.contents;
    if (root === null || (isScalar(root) && root.value === null)) continue;
    const { line, col } = lines.linePos(root.range?.[0] ?? 0);
    if (!isMap(root)) throw invalid(name, 'a document is not a mapping of keys to values', line, col);
    const kind: unknown = root.get('kind');
    const apiVersion: unknown = root.get('apiVersion');
    if (typeof kind !== 'string' || typeof apiVersion !== 'string') {
      throw invalid(name, 'a document has no kind and apiVersion', line, col);
    }
    const { targets, added } = aliasesOf(document);
    if (added > MAX_ADDED) throw invalid(name, 'its aliases multiply it beyond all bounds', line, col);
    const own = apiVersion.startsWith('kubeadm.k8s.io/');
    if (documents.some((other) => other.kind === kind))
      throw invalid(name, `${kind} is given twice`, line, col);
    documents.push({
      kind,
      version: own ? apiVersion.slice('kubeadm.k8s.io/'.length) : apiVersion,
      own,
      map: root,
      parsed: document,
      targets,
      place,
    });
  }
  return documents;
}

export function invalid(name: string, what: string, line?: number, column = 1): KubeadmError {
  const where = line === undefined ? '' : ` (${positionText({ line, column })})`;
  return new KubeadmError(
    'KubeadmConfigInvalid',
    `The kubeadm configuration ${name} is not valid: ${what}${where}.`,
  );
}

/** The parser's sentence without what it quotes, which may be a secret. */
function plainMessage(message: string): string {
  const [first = ''] = message.split('\n');
  return first.replace(/: .*$/, '').replace(/[.:]$/, '').trim().toLowerCase();
}
