import { omitUndefined } from '../../../kit/json.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type {
  ContainerdSettings,
  KernelSettings,
  KubeadmAdditions,
  MirrorSettings,
  NamedText,
  NodeSettings,
  ProxySettings,
  RegistrySettings,
} from '../../document/node-settings.ts';
import { kubeadmFiles } from '../../kubeadm/config/kubeadm-files.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { describe, pythonText } from '../../text/yaml/yaml-node.ts';
import { readExpect } from './expect.ts';
import { certificates, section, sections, url } from './fields.ts';
import { readLabels } from './labels.ts';
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
  if (isWord && !isNone) fields.wrong('kubeadm', 'kubeadm must be a mapping or none.');
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

/**
 * `kernel`: `modules` to load, `sysctls` to set; numbers and booleans are as good as text, for the kernel
 * reads text.
 */
function readKernel(fields: Fields): KernelSettings {
  const modules = fields.texts('modules');
  if (modules.some((name) => !/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)))
    fields.wrong('modules', 'modules must contain kernel module names, such as br_netfilter.');
  const settings = { modules, sysctls: readSysctls(fields) };
  fields.refuseUnknown();
  return settings;
}

/**
 * Names as sysctl(8) has them, with dots; a slash stands for a dot within a name, as in names of interfaces.
 */
const NAME = /^[a-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_/-]+)+$/;

function readSysctls(fields: Fields): Record<string, string> {
  const node = fields.node('sysctls');
  if (node === undefined) return {};
  if (node.kind !== 'mapping') {
    fields.expected('sysctls', node, 'a mapping of names to values');
    return {};
  }
  const found: [string, string][] = [];
  for (const { key, value } of node.entries) {
    const name = pythonText(key) ?? '';
    const text = value.kind === 'bool' ? String(Number(value.value)) : pythonText(value);
    if (!NAME.test(name) || name.includes('..'))
      fields.wrongAt(key.where, 'a name in sysctls must be like net.ipv4.ip_forward.');
    else if (value.kind === 'null' || text === undefined || /[\n\r]/.test(text))
      fields.wrongAt(
        value.where,
        `${name} must be a single-line string or a number, not ${describe(value)}.`,
      );
    else found.push([name, text.trim()]);
  }
  return Object.fromEntries(found);
}

/**
 * kubeadm's own rule for the names of patches: TARGET[SUFFIX][+TYPE].yaml or .json; it passes over any other.
 */
const PATCH =
  /^(?:etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubeletconfiguration|corednsdeployment)[A-Za-z0-9._-]*(?:\+(?:strategic|merge|json))?\.(?:yaml|json)$/;
/** The kubelet passes over names that begin with a dot, and tries to read everything else. */
const POD = /^[A-Za-z0-9][A-Za-z0-9._-]*\.(?:yaml|yml|json)$/;
const OWN = new Set(kubeadmFiles().map((path) => path.slice(path.lastIndexOf('/') + 1)));

/** `kubeadm`: `staticPods` and `patches`, lists of `name` and `content`. */
function readKubeadm(fields: Fields, diagnostics: Diagnostics): KubeadmAdditions {
  const read = (name: string, isName: (text: string) => boolean, rule: string): NamedText[] =>
    sections(fields.node(name), `slipway.kubeadm.${name}`, diagnostics).flatMap(
      (item) => readText(item, isName, rule) ?? [],
    );
  const additions = {
    staticPods: read(
      'staticPods',
      (name) => POD.test(name) && !OWN.has(name),
      'name must be a file name such as kube-vip.yaml that kubeadm does not write itself.',
    ),
    patches: read(
      'patches',
      (name) => PATCH.test(name),
      'name must have the form that kubeadm requires: TARGET[SUFFIX][+strategic|+merge|+json].yaml, such as kube-apiserver0+merge.yaml.',
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

/** `proxy`: `http`, `https`, `except`. */
function readProxy(fields: Fields): ProxySettings {
  const http = url(fields, 'http');
  const https = url(fields, 'https');
  const except = fields.texts('except', true).flatMap((text) => text.split(',').map((part) => part.trim()));
  if (except.some((part) => !/^[A-Za-z0-9.*:[\]/_-]*$/.test(part)))
    fields.wrong('except', 'except must contain hostnames, domains (.example), addresses or networks.');
  fields.refuseUnknown();
  return {
    ...(http === undefined ? {} : { http: sensitive(http) }),
    ...(https === undefined ? {} : { https: sensitive(https) }),
    except: except.filter((part) => part !== ''),
  };
}

const CAPABILITIES = ['pull', 'resolve', 'push'] as const;

/** `containerd`: `cgroupDriver`, `sandboxImage`, `registries`. */
function readContainerd(fields: Fields, diagnostics: Diagnostics): ContainerdSettings {
  const driver = fields.text('cgroupDriver');
  const sandboxImage = fields.text('sandboxImage');
  if (driver !== undefined && driver !== 'systemd' && driver !== 'cgroupfs')
    fields.wrong('cgroupDriver', 'cgroupDriver must be systemd or cgroupfs.');
  if (sandboxImage !== undefined && !/^[A-Za-z0-9][A-Za-z0-9.:/@_-]*$/.test(sandboxImage))
    fields.wrong('sandboxImage', 'sandboxImage must be an image name.');
  const registries = sections(
    fields.node('registries'),
    'slipway.containerd.registries',
    diagnostics,
  ).flatMap((item) => readRegistry(item, diagnostics) ?? []);
  fields.refuseUnknown();
  return {
    ...(driver === 'systemd' || driver === 'cgroupfs' ? { cgroupDriver: driver } : {}),
    ...(sandboxImage === undefined ? {} : { sandboxImage }),
    registries: withoutDoubles(registries, fields),
  };
}

function readRegistry(fields: Fields, diagnostics: Diagnostics): RegistrySettings | undefined {
  const host = fields.text('host');
  const server = url(fields, 'server');
  const ca = certificates(fields, 'ca');
  const settings = {
    skipVerify: fields.bool('skipVerify', false),
    mirrors: sections(fields.node('mirrors'), 'slipway.containerd.registries.mirrors', diagnostics).flatMap(
      (item) => readMirror(item) ?? [],
    ),
  };
  fields.refuseUnknown();
  if (host === undefined || !isHost(host)) {
    fields.wrong(
      'host',
      'host must be a registry as written in image names, such as docker.io, or _default.',
    );
    return undefined;
  }
  return {
    host,
    ...omitUndefined({ server, ca }),
    ...settings,
  };
}

function readMirror(fields: Fields): MirrorSettings | undefined {
  const address = url(fields, 'url');
  const ca = certificates(fields, 'ca');
  const capabilities = fields.node('capabilities') ? fields.texts('capabilities') : ['pull', 'resolve'];
  const known = capabilities.filter((name) => CAPABILITIES.some((other) => other === name));
  if (known.length < capabilities.length)
    fields.wrong('capabilities', 'capabilities can contain pull, resolve and push.');
  const settings = {
    skipVerify: fields.bool('skipVerify', false),
    overridePath: fields.bool('overridePath', false),
    capabilities: known as MirrorSettings['capabilities'],
  };
  fields.refuseUnknown();
  if (address === undefined) {
    if (!fields.has('url')) fields.wrong('url', 'a mirror has no url.');
    return undefined;
  }
  return { url: address, ...(ca === undefined ? {} : { ca }), ...settings };
}

/** It becomes the name of a directory. */
const isHost = (text: string): boolean =>
  text === '_default' || /^[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?$/.test(text);

function withoutDoubles(registries: RegistrySettings[], fields: Fields): RegistrySettings[] {
  const seen = new Set<string>();
  for (const { host } of registries) {
    if (seen.has(host)) fields.wrong('registries', `${host} is listed twice.`);
    seen.add(host);
  }
  return registries;
}
