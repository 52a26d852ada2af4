import type { NodeSettings } from '../../document/node-settings.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { readContainerd } from './containerd.ts';
import { readExpect } from './expect.ts';
import { section } from './fields.ts';
import { readKernel } from './kernel.ts';
import { readKubeadm } from './kubeadm.ts';
import { readLabels } from './labels.ts';
import { readProxy } from './proxy.ts';
import { readSecrets } from './secrets.ts';

/**
 * The sections of `slipway` that set up the node around kubeadm: kernel, proxy, containerd, kubeadm, labels, expect,
 * secrets (docs/node.md). Undefined when there is none. Here what is not known is an error: the keys are Slipway's
 * own.
 */
export function readNodeSettings(fields: Fields, diagnostics: Diagnostics): NodeSettings | undefined {
  const inner = (name: string) => section(fields.node(name), `slipway.${name}`, diagnostics);
  const kernel = inner('kernel');
  const proxy = inner('proxy');
  const containerd = inner('containerd');
  const given = fields.node('kubeadm');
  const isNone = given?.kind === 'string' && given.value === 'none';
  const isWord = given?.kind === 'string';
  if (isWord && !isNone) fields.wrong('kubeadm', 'kubeadm must be a mapping, or none.');
  const kubeadm = isWord ? undefined : inner('kubeadm');
  const expect = inner('expect');
  const secrets = inner('secrets');
  const labels = inner('labels');
  const node: NodeSettings = {
    ...(kernel ? { kernel: readKernel(kernel) } : {}),
    ...(proxy ? { proxy: readProxy(proxy) } : {}),
    ...(containerd ? { containerd: readContainerd(containerd, diagnostics) } : {}),
    ...(kubeadm ? { kubeadm: readKubeadm(kubeadm, diagnostics) } : {}),
    ...(labels ? { labels: readLabels(labels) } : {}),
    ...(expect ? { expect: readExpect(expect, diagnostics) } : {}),
    ...(secrets ? { secrets: readSecrets(secrets, diagnostics) } : {}),
  };
  return Object.keys(node).length === 0 ? undefined : node;
}
