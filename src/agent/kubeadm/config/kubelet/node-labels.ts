/** Labels for the kubelet to register with: its argument node-labels, beside what the configuration has there. */
import { KubeadmError } from '../../kubeadm-error.ts';
import { NODE_KINDS, readDocuments } from '../yaml/config-documents.ts';
import { isValues, type Values, valueAt } from '../yaml/config-node.ts';
import { editDocument, sectionAt, withDocument } from '../yaml/edit-document.ts';
import { extraArgument } from './node-registration.ts';

const NAME = 'node-labels';

/**
 * The configuration, as kubeadm will read it, with the labels in it. A label that it names already stays as it is there.
 *
 * @param version Of kubeadm's API, e.g. `v1beta4`, which has a list where those before have a mapping.
 * @throws KubeadmError when the text cannot be read, or has something else in the place for them.
 */
export function withLabels(
  text: string,
  verb: 'init' | 'join',
  labels: Readonly<Record<string, string>>,
  version: string,
): string {
  const kind = NODE_KINDS[verb];
  const own = readDocuments(text, 'file').find((document) => document.own && document.kind === kind);
  const isList = !/^v1(?:alpha\d+|beta[123])$/.test(version);
  const present = extraArgument(own?.values.nodeRegistration, NAME);
  const merged = mergedLabels(present, labels);
  if (merged === (present ?? '')) return text;
  if (own === undefined) {
    const kubeletExtraArgs = isList ? [{ name: NAME, value: merged }] : { [NAME]: merged };
    const added = { apiVersion: `kubeadm.k8s.io/${version}`, kind, nodeRegistration: { kubeletExtraArgs } };
    return withDocument(text, added);
  }
  return editDocument(text, kind, (values) => {
    const registration = sectionAt(values, ['nodeRegistration']);
    if (registration === undefined || !put(registration, merged, isList)) throw withoutPlace();
    return true;
  });
}

function put(registration: Values, value: string, isList: boolean): boolean {
  registration.kubeletExtraArgs ??= isList ? [] : {};
  const extra = registration.kubeletExtraArgs;
  if (!isList && isValues(extra)) extra[NAME] = value;
  else if (isList && Array.isArray(extra)) {
    const named: unknown = extra.findLast((entry) => valueAt(entry, 'name') === NAME);
    if (isValues(named)) named.value = value;
    else extra.push({ name: NAME, value });
  } else return false;
  return true;
}

function withoutPlace(): KubeadmError {
  return new KubeadmError(
    'KubeadmConfigNotExpressible',
    'Cannot add slipway.labels to the kubeadm configuration: nodeRegistration.kubeletExtraArgs does not have the form that its version requires.',
  );
}

function mergedLabels(present: string | undefined, labels: Readonly<Record<string, string>>): string {
  const there = (present ?? '').split(',').filter((label) => label !== '');
  const known = new Set(there.map((label) => label.split('=')[0]?.trim()));
  const added = Object.entries(labels).filter(([key]) => !known.has(key));
  return [...there, ...added.map(([key, value]) => `${key}=${value}`)].join(',');
}
