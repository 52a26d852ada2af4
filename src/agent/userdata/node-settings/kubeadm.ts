import { sensitive } from '../../../secrets/sensitive.ts';
import type { KubeadmAdditions, NamedText } from '../../document/node-settings.ts';
import { kubeadmFiles } from '../../kubeadm/config/kubeadm-files.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { sections } from './fields.ts';

/**
 * kubeadm's own rule for the names of patches: TARGET[SUFFIX][+TYPE].yaml or .json; it passes over any other.
 */
const PATCH =
  /^(?:etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubeletconfiguration|corednsdeployment)[A-Za-z0-9._-]*(?:\+(?:strategic|merge|json))?\.(?:yaml|json)$/;
/** The kubelet passes over names that begin with a dot, and tries to read everything else. */
const POD = /^[A-Za-z0-9][A-Za-z0-9._-]*\.(?:yaml|yml|json)$/;
const OWN = new Set(kubeadmFiles().map((path) => path.slice(path.lastIndexOf('/') + 1)));

/** `kubeadm`: `staticPods` and `patches`, lists of `name` and `content`. */
export function readKubeadm(fields: Fields, diagnostics: Diagnostics): KubeadmAdditions {
  const read = (name: string, isName: (text: string) => boolean, rule: string): NamedText[] =>
    sections(fields.node(name), `slipway.kubeadm.${name}`, diagnostics).flatMap(
      (item) => readText(item, isName, rule) ?? [],
    );
  const additions = {
    staticPods: read(
      'staticPods',
      (name) => POD.test(name) && !OWN.has(name),
      'name must be a file name such as kube-vip.yaml, and none of those that kubeadm writes.',
    ),
    patches: read(
      'patches',
      (name) => PATCH.test(name),
      'name must be as kubeadm wants it: TARGET[SUFFIX][+strategic|+merge|+json].yaml, such as kube-apiserver0+merge.yaml.',
    ),
  };
  fields.refuseUnknown();
  return additions;
}

function readText(fields: Fields, isName: (text: string) => boolean, rule: string): NamedText | undefined {
  const name = fields.text('name');
  const content = fields.text('content');
  fields.refuseUnknown();
  if (name === undefined || !isName(name)) {
    fields.wrong('name', rule);
    return undefined;
  }
  if (content === undefined || content.trim() === '') {
    fields.wrong('content', 'the content is missing.');
    return undefined;
  }
  return { name, content: sensitive(content.endsWith('\n') ? content : `${content}\n`) };
}
