import type { Diagnostics } from '../../../text/diagnostics.ts';
import { describe, pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';

/** `device_aliases`: the user's names for devices, and the cloud's; valid in disk_setup, fs_setup and mounts. */
export type Aliases = ReadonlyMap<string, string>;

/** @param known the cloud's own names, which the user's win over */
export function readAliases(
  node: YamlNode | undefined,
  known: Readonly<Record<string, string>>,
  diagnostics: Diagnostics,
): Aliases {
  const aliases = new Map<string, string>(Object.entries(known));
  if (node === undefined || node.kind === 'null') return aliases;
  if (node.kind !== 'mapping') {
    diagnostics.error(
      'UserDataInvalid',
      `device_aliases must be a mapping, not ${describe(node)}.`,
      node.where,
    );
    return aliases;
  }
  for (const { key, value } of node.entries) {
    if (value.kind === 'string') aliases.set(pythonText(key) ?? '', value.value);
    else
      diagnostics.error(
        'UserDataInvalid',
        `device_aliases: a device must be a string, not ${describe(value)}.`,
        value.where,
      );
  }
  return aliases;
}

/**
 * Splits `ephemeral0.1` into device and partition at the last dot, like cloud-init's `expand_dotted_devname`,
 * but only if a number follows, because /dev/disk/by-id names contain dots.
 */
export function splitPartition(name: string): { device: string; partition?: string } {
  const match = /^(.*[^/])\.(\d+|auto|any|none)$/s.exec(name);
  return match?.[1] === undefined || match[2] === undefined
    ? { device: name }
    : { device: match[1], partition: match[2] };
}

/** Why Slipway leaves out an entry with such a name. */
export function metadataNameMessage(what: string, shown: string): string {
  return `${what}: ${shown} is a cloud's own name for a disk, and nothing here maps it to a disk; the entry is skipped.`;
}
