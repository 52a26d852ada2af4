import type { Diagnostics } from '../../../text/diagnostics.ts';
import { type ShapeMismatch, shapeMismatches } from '../../../text/shape/check-shape.ts';
import { anything, list } from '../../../text/shape/shape.ts';
import { warnOfMismatches } from '../../../text/shape/warn-of-mismatches.ts';
import { type MappingNode, pythonText, valueAt, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { DEVICES, VERSION2 } from './network-shapes.ts';

/**
 * Warns of every value whose type is not what cloud-init's schemas of network configurations ask for, by path: the readers make
 * something of it, others may not.
 */
export function warnOfShapes(root: MappingNode, diagnostics: Diagnostics): void {
  warnOfMismatches(wrongOf(root), diagnostics);
}

function wrongOf(root: MappingNode): ShapeMismatch[] {
  const version = valueAt(root, 'version');
  const ofVersion =
    version === undefined || version.kind === 'int'
      ? []
      : [{ path: 'version', expected: 'must be a number', where: version.where }];
  const config = valueAt(root, 'config');
  if (config?.kind === 'sequence') return [...ofVersion, ...config.items.flatMap(ofDevice)];
  if (config !== undefined) return [...ofVersion, ...shapeMismatches(list(anything), config, 'config')];
  return [
    ...ofVersion,
    ...shapeMismatches(VERSION2, root, '').map(({ path, ...rest }) => ({ ...rest, path: path.slice(1) })),
  ];
}

function ofDevice(device: YamlNode, index: number): ShapeMismatch[] {
  const type = device.kind === 'mapping' ? valueAt(device, 'type') : undefined;
  const name = type === undefined ? '' : (pythonText(type) ?? '');
  const shape = Object.hasOwn(DEVICES, name) ? DEVICES[name] : undefined;
  return shape === undefined ? [] : shapeMismatches(shape, device, `config.${index}`);
}

/** What netplan knows beside what is read here; nobody makes anything of other names. */
const SECTIONS: ReadonlySet<string> = new Set([
  ...[
    'dummy-devices',
    'modems',
    'nm-devices',
    'openvswitch',
    'tunnels',
    'virtual-ethernets',
    'vrfs',
    'wifis',
  ],
]);
const KEYS: ReadonlySet<string> = new Set([
  ...['activation-mode', 'auth', 'critical', 'delay-virtual-functions-rebind', 'dhcp-identifier'],
  ...[
    'embedded-switch-mode',
    'emit-lldp',
    'generic-receive-offload',
    'generic-segmentation-offload',
    'hairpin',
  ],
  ...['ignore-carrier', 'infiniband-mode', 'ipv6-address-generation', 'ipv6-address-token', 'ipv6-privacy'],
  ...['large-receive-offload', 'link', 'link-local', 'neigh-suppress', 'networkmanager', 'openvswitch'],
  ...['optional-addresses', 'port-mac-learning', 'ra-overrides', 'receive-checksum-offload'],
  ...[
    'regulatory-domain',
    'tcp-segmentation-offload',
    'tcp6-segmentation-offload',
    'transmit-checksum-offload',
  ],
  ...['virtual-function-count', 'wakeonwlan'],
]);

export const isNetplanSection = (name: string): boolean => SECTIONS.has(name);
export const isNetplanKey = (name: string): boolean => KEYS.has(name);
