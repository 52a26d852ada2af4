/** Checks a kubeadm configuration before kubeadm sees it. */
import type { ConfigDocument } from '../yaml/config-documents.ts';
import { checkRules } from './check-rules.ts';
import { checkShape } from './check-shape.ts';
import type { ConfigProblem } from './problem.ts';
import { isOwnKind } from './schema.ts';
import { isApiVersion } from './versions.ts';

/** Kinds that each verb reads; others in the file are passed over by kubeadm. */
const KINDS = {
  init: ['InitConfiguration', 'ClusterConfiguration'],
  join: ['JoinConfiguration'],
} as const;

/** The documents of kubeadm itself that `verb` reads. */
export function documentsFor(verb: 'init' | 'join', documents: readonly ConfigDocument[]): ConfigDocument[] {
  const kinds: readonly string[] = KINDS[verb];
  return documents.filter(({ own, kind }) => own && isOwnKind(kind) && kinds.includes(kind));
}

/**
 * Everything wrong with a configuration file, errors first, in the order of the file. A version of the API
 * that is not known is left to kubeadm.
 */
export function checkConfig(verb: 'init' | 'join', documents: readonly ConfigDocument[]): ConfigProblem[] {
  const problems = documentsFor(verb, documents).flatMap((document) => {
    const { version } = document;
    if (!isApiVersion(version)) return [];
    const shape = checkShape(document, version);
    // A rule about a value of the wrong type would only repeat what is said already.
    const told = new Set(shape.filter(({ severity }) => severity === 'error').map(({ line }) => line));
    return [...shape, ...checkRules(document).filter(({ line }) => !told.has(line))];
  });
  const rank = ({ severity }: ConfigProblem): number => (severity === 'error' ? 0 : 1);
  return problems.toSorted((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
}
