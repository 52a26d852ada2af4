import type { FilesystemEntry } from '../../../document/document.ts';
import { isMetadataName } from '../../../document/storage.ts';
import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import { Fields, mappings } from '../../../text/yaml/fields.ts';
import type { MappingNode, YamlNode } from '../../../text/yaml/yaml-node.ts';
import { type Aliases, metadataNameMessage, splitPartition } from './devices.ts';

/** `fs_setup`: filesystems to make (cloud-init's `cc_disk_setup`, `mkfs`); the default partition is `any`. */
export function readFsSetup(node: YamlNode, aliases: Aliases, diagnostics: Diagnostics): FilesystemEntry[] {
  return mappings(node, 'fs_setup', diagnostics).flatMap((item) => {
    const entry = readFilesystem(item, aliases, diagnostics);
    return entry === undefined ? [] : [entry];
  });
}

function readFilesystem(
  item: MappingNode,
  aliases: Aliases,
  diagnostics: Diagnostics,
): FilesystemEntry | undefined {
  const fields = new Fields(item, 'fs_setup', diagnostics);
  const target = readDevice(fields, aliases, diagnostics);
  const filesystem = fields.text('filesystem');
  if (filesystem === undefined || !/^[A-Za-z0-9_.-]+$/.test(filesystem) || filesystem.startsWith('-')) {
    fields.wrong('filesystem', 'filesystem must name a type, such as ext4 or xfs.');
  }
  const label = fields.looseText('label');
  const command = readCommand(fields, { label, filesystem });
  const replaceFs = fields.looseText('replace_fs');
  const partition = target?.partition ?? readPartition(fields);
  const entry: Omit<FilesystemEntry, 'device' | 'filesystem'> = {
    ...(label === undefined || label === '' ? {} : { label }),
    partition,
    overwrite: fields.bool('overwrite', false),
    ...(replaceFs === undefined || replaceFs === '' ? {} : { replaceFs }),
    options: fields.texts('extra_opts', true),
    ...(command === undefined ? {} : { command }),
    where: item.where,
  };
  if (command && entry.options.length > 0)
    fields.warn('extra_opts', 'extra_opts has no effect with cmd, which is the complete command.');
  fields.finish();
  return target === undefined || filesystem === undefined
    ? undefined
    : { device: target.device, filesystem, ...entry };
}

/**
 * `cmd`: a line for the shell, or words, with Python's `%(label)s`, `%(filesystem)s` and `%(device)s`. Only the device is not
 * known yet, so it stays, and so does `%%`.
 */
function readCommand(
  fields: Fields,
  known: Readonly<Record<'label' | 'filesystem', string | undefined>>,
): string[] | undefined {
  const node = fields.node('cmd');
  if (node === undefined) return undefined;
  const words = fields.texts('cmd', true);
  const filled = words.map((word) =>
    word.replace(/%(?:\((\w+)\)s|(.)|$)/gs, (all, name?: string, other?: string) => {
      if (other === '%' || name === 'device') return all;
      const value = name === 'label' || name === 'filesystem' ? known[name] : undefined;
      if (value !== undefined && value !== '') return value.replaceAll('%', '%%');
      const why =
        name === undefined
          ? 'write a literal % as %%.'
          : 'only the other settings of the item can be used there.';
      fields.wrong('cmd', `cmd contains ${printable(all)}: ${why}`);
      return '';
    }),
  );
  if (filled.length === 0 || filled.join('').trim() === '') fields.wrong('cmd', 'cmd is empty.');
  return node.kind === 'string' ? ['/bin/sh', '-c', ...filled] : filled;
}

function readDevice(
  fields: Fields,
  aliases: Aliases,
  diagnostics: Diagnostics,
): { device: string; partition?: string } | undefined {
  const name = fields.text('device');
  if (name === undefined) {
    if (fields.node('device') === undefined) fields.wrong('device', 'an item has no device.');
    return undefined;
  }
  const split = splitPartition(name);
  const device = aliases.get(split.device) ?? split.device;
  if (device.startsWith('/')) return { ...split, device };
  if (isMetadataName(device)) {
    diagnostics.warn('UserDataIgnoredKey', metadataNameMessage('fs_setup', printable(name)), fields.where);
    return undefined;
  }
  fields.wrong('device', `${printable(name)} is neither a path nor one of device_aliases.`);
  return undefined;
}

/** `auto`, `any`, `none` or a number. */
function readPartition(fields: Fields): string {
  const partition = (fields.looseText('partition') ?? 'any').toLowerCase().trim();
  if (/^(?:auto|any|none|\d{1,3})$/.test(partition)) return partition;
  if (partition !== '') fields.wrong('partition', 'partition must be auto, any, none or a number.');
  return partition === '' ? 'none' : 'any';
}
