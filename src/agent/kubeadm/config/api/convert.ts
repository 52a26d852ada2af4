/** Brings a kubeadm configuration into a version of the API that the installed kubeadm reads. */
import type { ConfigDocument } from '../yaml/config-documents.ts';
import type { Values } from '../yaml/config-node.ts';
import { writeYaml } from '../yaml/write-yaml.ts';
import { documentsFor } from './check-config.ts';
import { beta2ToBeta3, beta3ToBeta2, beta3ToBeta4, beta4ToBeta3 } from './conversions.ts';
import { type ConversionLoss, Draft } from './draft.ts';
import { type ConfigProblem, positionOfPath } from './problem.ts';
import {
  API_VERSIONS,
  type ApiVersion,
  isApiVersion,
  isAtLeast,
  newestSupportedVersion,
  supportsApiVersion,
} from './versions.ts';

interface Converted {
  text: string;
  /** Arguments to be added to kubeadm's command line. */
  flags: string[];
  /** The version that the text was in, and the one it is in now. */
  from: ApiVersion;
  to: ApiVersion;
  /** What could not be said in the other version. */
  problems: ConfigProblem[];
}

/**
 * Each step to the next version; v1beta2 only added fields to v1beta1, so nothing changes there on the way
 * up.
 */
const UP: Partial<Record<ApiVersion, (draft: Draft) => void>> = {
  v1beta2: beta2ToBeta3,
  v1beta3: beta3ToBeta4,
};
const DOWN: Partial<Record<ApiVersion, (draft: Draft) => void>> = {
  v1beta4: beta4ToBeta3,
  v1beta3: beta3ToBeta2,
};

/**
 * The configuration in the newest version that kubeadm 1.`minor` reads; undefined when it reads the file as
 * it is, or when there is no way: a version that nobody knows, or a kubeadm that reads v1beta1 only.
 *
 * kubeadm's own documents are written anew, those of components (KubeletConfiguration and others) stay as
 * they are.
 *
 * @param atLeast Something has to be said that older versions have no place for: where kubeadm reads this
 *   one, an older file is brought to it though kubeadm would read it.
 */
export function convertConfig(
  verb: 'init' | 'join',
  documents: readonly ConfigDocument[],
  minor: number,
  atLeast?: ApiVersion,
): Converted | undefined {
  const own = documentsFor(verb, documents);
  const versions = new Set(own.map(({ version }) => version));
  const [from] = versions;
  // Documents of two versions in one file: kubeadm has its own sentence for that.
  if (from === undefined || versions.size !== 1 || !isApiVersion(from)) return undefined;
  const to = targetOf(from, minor, atLeast);
  if (to === undefined || to === 'v1beta1') return undefined;
  const draft = new Draft();
  for (const document of own) draft.documents.set(document.kind, structuredClone(document.values));
  walk(draft, from, to);
  return {
    text: render(documents, own, draft, to),
    flags: draft.flags,
    from,
    to,
    problems: draft.losses.map((loss) => problemOf(loss, own, to)),
  };
}

function targetOf(from: ApiVersion, minor: number, atLeast: ApiVersion | undefined): ApiVersion | undefined {
  if (!supportsApiVersion(minor, from)) return newestSupportedVersion(minor);
  return atLeast !== undefined && !isAtLeast(from, atLeast) && supportsApiVersion(minor, atLeast)
    ? atLeast
    : undefined;
}

function walk(draft: Draft, from: ApiVersion, to: ApiVersion): void {
  let at = API_VERSIONS.indexOf(from);
  const end = API_VERSIONS.indexOf(to);
  while (at !== end) {
    const version = API_VERSIONS[at];
    if (version !== undefined) (at < end ? UP : DOWN)[version]?.(draft);
    at += at < end ? 1 : -1;
  }
}

function problemOf(
  { kind, path, instead, fatal }: ConversionLoss,
  own: ConfigDocument[],
  to: ApiVersion,
): ConfigProblem {
  const document = own.find((candidate) => candidate.kind === kind);
  const place = document === undefined ? { line: 1, column: 1 } : positionOfPath(document, path);
  const field = path.filter((step) => typeof step === 'string').join('.');
  return {
    severity: fatal ? 'error' : 'warning',
    code: fatal ? 'KubeadmConfigInvalid' : 'KubeadmConfigNotExpressible',
    message: `${field} ${instead} (kubeadm reads ${to} here)`,
    ...place,
  };
}

function render(
  documents: readonly ConfigDocument[],
  own: ConfigDocument[],
  draft: Draft,
  to: ApiVersion,
): string {
  const left = new Map(draft.documents);
  const parts = documents.map((document) => {
    const values = own.includes(document) ? left.get(document.kind) : undefined;
    left.delete(document.kind);
    return values === undefined ? sourceOf(document) : yaml(document.kind, values, to);
  });
  for (const [kind, values] of left) parts.push(yaml(kind, values, to));
  return `---\n${parts.join('---\n')}`;
}

function yaml(kind: string, { apiVersion: _, kind: __, ...values }: Values, version: ApiVersion): string {
  return writeYaml({ apiVersion: `kubeadm.k8s.io/${version}`, kind, ...values });
}

/** A document that is not kubeadm's own, as it stands in the file. */
function sourceOf({ source }: ConfigDocument): string {
  const whole = source.replace(/^[ \t]*\n/, '');
  return whole.endsWith('\n') ? whole : `${whole}\n`;
}
