import type { MountEntry } from '../../../document/document.ts';
import type { Diagnostics } from '../../../text/diagnostics.ts';
import { describe, pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import type { Aliases } from './devices.ts';

type Fields = MountEntry['fields'];

/**
 * Defaults for missing fields of a mount: cloud-init's own, but without the ordering after one of its units
 * (x-systemd.after=cloud-init-network.service), which does not exist here.
 */
const DEFAULTS: readonly (string | null)[] = [null, null, 'auto', 'defaults,nofail,_netdev', '0', '2'];

/** Kernel names that cloud-init expands to a path (`DEVICE_NAME_FILTER`). */
const SHORT_NAME = /^(?:x?[shv]d[a-z][0-9]*|sr[0-9]+)$/;

/**
 * `mounts`: lines of fstab as lists of up to six fields (cloud-init's `cc_mounts`). A null mount point
 * removes the entry and earlier ones for the same device. The machine decides later which partition of a disk
 * is meant.
 */
export function readMounts(
  node: YamlNode,
  defaultFields: YamlNode | undefined,
  aliases: Aliases,
  diagnostics: Diagnostics,
): MountEntry[] {
  if (node.kind === 'null') return [];
  if (node.kind !== 'sequence') {
    diagnostics.error(
      'UserDataInvalid',
      `mounts must be a list of lists, not ${describe(node)}.`,
      node.where,
    );
    return [];
  }
  const defaults = readDefaults(defaultFields, diagnostics);
  const entries = node.items.flatMap((item) => {
    const fields = readFields(item, defaults, aliases, diagnostics);
    return fields === undefined ? [] : [{ fields, where: item.where }];
  });
  return withoutRemoved(entries);
}

function readDefaults(node: YamlNode | undefined, diagnostics: Diagnostics): readonly (string | null)[] {
  if (node === undefined || node.kind === 'null') return DEFAULTS;
  if (node.kind === 'sequence' && node.items.length <= 6) {
    return node.items.map((item) => (item.kind === 'null' ? null : (pythonText(item) ?? null)));
  }
  diagnostics.error('UserDataInvalid', 'mount_default_fields must be a list of six fields.', node.where);
  return DEFAULTS;
}

function readFields(
  item: YamlNode,
  defaults: readonly (string | null)[],
  aliases: Aliases,
  diagnostics: Diagnostics,
): Fields | undefined {
  if (item.kind !== 'sequence' || item.items.length === 0 || item.items.length > 6) {
    diagnostics.error(
      'UserDataInvalid',
      'mounts: every item must be a list of one to six fields.',
      item.where,
    );
    return undefined;
  }
  const given = item.items.map((field) => {
    const text = field.kind === 'null' ? null : pythonText(field);
    if (text !== undefined && !text?.includes('\n')) return text;
    diagnostics.error('UserDataInvalid', 'mounts: a field must be a single-line string.', field.where);
    return null;
  });
  const [spec, file, type, options, freq, passno] = Array.from(
    { length: 6 },
    (_, index) => given[index] ?? defaults[index],
  );
  // Without the last two a line of fstab is whole.
  if ([file, type, options].includes(undefined)) {
    diagnostics.error(
      'UserDataInvalid',
      'mounts: an item has fewer than four fields, and mount_default_fields does not set the others.',
      item.where,
    );
    return undefined;
  }
  if (spec === undefined || spec === null || spec === '') {
    diagnostics.error('UserDataInvalid', 'mounts: an item has no device.', item.where);
    return undefined;
  }
  return [
    deviceOf(spec, aliases),
    file ?? null,
    type ?? 'auto',
    options ?? 'defaults,nofail,_netdev',
    freq ?? (passno === undefined ? '' : '0'),
    passno ?? (passno === undefined ? '' : '2'),
  ];
}

/** Network names (`server:/path`) stay unchanged; aliases and short kernel names become paths. */
function deviceOf(spec: string, aliases: Aliases): string {
  if (/^.+:/.test(spec)) return spec;
  const name = spec === 'ephemeral' ? 'ephemeral0' : spec;
  const real = aliases.get(name) ?? name;
  return SHORT_NAME.test(real) ? `/dev/${real}` : real;
}

function withoutRemoved(entries: MountEntry[]): MountEntry[] {
  const removed = new Set<string>();
  const kept: MountEntry[] = [];
  for (const entry of entries.toReversed()) {
    const [device, mountPoint] = entry.fields;
    if (mountPoint === null || removed.has(device)) removed.add(device);
    else kept.push(entry);
  }
  return kept.reverse();
}
