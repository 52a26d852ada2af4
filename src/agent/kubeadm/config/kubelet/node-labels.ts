/** Labels for the kubelet to register with: its argument node-labels, beside what the configuration has there. */
import { isMap, isScalar, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { KubeadmError } from '../../kubeadm-error.ts';
import { isNothing } from '../api/nodes.ts';
import { NODE_KINDS, readDocuments } from '../yaml/config-documents.ts';
import { findPair, insert, putScalar, replaceNull } from '../yaml/edit-yaml.ts';
import { extraArgument } from './extra-argument.ts';

const NAME = 'node-labels';

/**
 * The configuration, as kubeadm will read it, with the labels in it. A label that it names already stays as it is there.
 *
 * @param version Of kubeadm's API, e.g. `v1beta4`, which has a list where those before have a mapping.
 * @throws KubeadmError when the text cannot be read, or its place for them cannot be written to safely.
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
  const registration = own?.map.get('nodeRegistration');
  const present = isMap(registration) ? extraArgument(registration as YAMLMap, NAME) : undefined;
  const merged = mergedLabels(present, labels);
  if (merged === (present ?? '')) return text;
  const value = JSON.stringify(merged);
  if (own === undefined) {
    const extra = isList ? `\n  - name: ${NAME}\n    value: ${value}` : `\n    ${NAME}: ${value}`;
    const gap = text.endsWith('\n') ? '' : '\n';
    return `${text}${gap}---\napiVersion: kubeadm.k8s.io/${version}\nkind: ${kind}\nnodeRegistration:\n  kubeletExtraArgs:${extra}\n`;
  }
  const put = isList
    ? intoList(text, own.map, value)
    : putScalar(text, kind, ['nodeRegistration', 'kubeletExtraArgs', NAME], value, () => true);
  if (put === text)
    throw new KubeadmError(
      'KubeadmConfigNotExpressible',
      'The labels of slipway.labels have no place in the kubeadm configuration: nodeRegistration.kubeletExtraArgs is an alias, or has another form than its version wants.',
    );
  return put;
}

function mergedLabels(present: string | undefined, labels: Readonly<Record<string, string>>): string {
  const there = (present ?? '').split(',').filter((label) => label !== '');
  const known = new Set(there.map((label) => label.split('=')[0]?.trim()));
  const added = Object.entries(labels).filter(([key]) => !known.has(key));
  return [...there, ...added.map(([key, value]) => `${key}=${value}`)].join(',');
}

function intoList(text: string, map: YAMLMap, value: string): string {
  const item = `{name: ${NAME}, value: ${value}}`;
  const registration = findPair(map, 'nodeRegistration');
  if (registration === undefined)
    return insert(text, map, 'nodeRegistration', `{kubeletExtraArgs: [${item}]}`);
  const inner = registration.value;
  if (!isMap(inner))
    return isNothing(inner) ? replaceNull(text, registration, `{kubeletExtraArgs: [${item}]}`) : text;
  const extra = findPair(inner as YAMLMap, 'kubeletExtraArgs');
  if (extra === undefined) return insert(text, inner as YAMLMap, 'kubeletExtraArgs', `[${item}]`);
  if (!isSeq(extra.value)) return isNothing(extra.value) ? replaceNull(text, extra, `[${item}]`) : text;
  return inSequence(text, extra.value as YAMLSeq, item, value);
}

function inSequence(text: string, list: YAMLSeq, item: string, value: string): string {
  const named = list.items.findLast((entry) => isMap(entry) && entry.get('name') === NAME);
  if (isMap(named)) {
    const old = findPair(named as YAMLMap, 'value')?.value;
    const [from, to] = (isScalar(old) ? old.range : undefined) ?? [];
    return from === undefined || to === undefined ? text : `${text.slice(0, from)}${value}${text.slice(to)}`;
  }
  const start = list.range?.[0];
  if (start === undefined) return text;
  if (list.flow === true) {
    const comma = list.items.length === 0 ? '' : ', ';
    return `${text.slice(0, start + 1)}${item}${comma}${text.slice(start + 1)}`;
  }
  const lead = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  // An anchor or a tag before the first dash: not worth a risk.
  if (lead.trim() !== '' || text[start] !== '-') return text;
  return `${text.slice(0, start)}- ${item}\n${lead}${text.slice(start)}`;
}
