import type { DiskEntry } from '../../../document/document.ts';
import { isMetadataName } from '../../../document/storage.ts';
import { type Diagnostics, printable } from '../../../text/diagnostics.ts';
import { Fields } from '../../../text/yaml/fields.ts';
import { describe, type MappingNode, pythonText, type YamlNode } from '../../../text/yaml/yaml-node.ts';
import { type Aliases, metadataNameMessage } from './devices.ts';

/** `disk_setup`: partition tables by device (`cc_disk_setup`). Defaults: mbr, no layout, no overwriting. */
export function readDiskSetup(node: YamlNode, aliases: Aliases, diagnostics: Diagnostics): DiskEntry[] {
  if (node.kind === 'null') return [];
  if (node.kind !== 'mapping') {
    diagnostics.error(
      'UserDataInvalid',
      `disk_setup must be a mapping of devices, not ${describe(node)}.`,
      node.where,
    );
    return [];
  }
  return node.entries.flatMap(({ key, value }) => {
    const name = pythonText(key) ?? '';
    const device = aliases.get(name) ?? name;
    if (isMetadataName(device)) {
      diagnostics.warn('UserDataIgnoredKey', metadataNameMessage('disk_setup', printable(name)), key.where);
      return [];
    }
    if (!device.startsWith('/')) {
      const message = `disk_setup: ${printable(name)} is neither a path nor one of device_aliases.`;
      diagnostics.error('UserDataInvalid', message, key.where);
      return [];
    }
    if (value.kind === 'mapping') return [readDisk(device, value, diagnostics)];
    diagnostics.error(
      'UserDataInvalid',
      `disk_setup: the settings of a device must be a mapping, not ${describe(value)}.`,
      value.where,
    );
    return [];
  });
}

function readDisk(device: string, map: MappingNode, diagnostics: Diagnostics): DiskEntry {
  const fields = new Fields(map, 'disk_setup', diagnostics);
  const tableType = (fields.looseText('table_type') ?? 'mbr').toLowerCase();
  if (tableType !== 'mbr' && tableType !== 'gpt')
    fields.wrong('table_type', 'table_type must be mbr or gpt.');
  const entry: DiskEntry = {
    device,
    tableType: tableType === 'gpt' ? 'gpt' : 'mbr',
    layout: readLayout(fields, tableType),
    overwrite: fields.bool('overwrite', false),
    where: map.where,
  };
  fields.finish();
  return entry;
}

function readLayout(fields: Fields, tableType: string): Extract<DiskEntry, { layout: unknown }>['layout'] {
  const node = fields.node('layout');
  if (node === undefined) return false;
  if (node.kind === 'bool') return node.value;
  if (node.kind !== 'sequence') {
    fields.expected('layout', node, 'true, false or a list of partitions');
    return false;
  }
  if (tableType === 'mbr' && node.items.length > 4)
    fields.wrong('layout', 'an mbr table has at most four partitions.');
  const parts = node.items.map((item) => readPartition(item, fields));
  const total = parts.reduce((sum, part) => sum + part.percent, 0);
  if (total > 100) fields.wrong('layout', `the partitions add up to ${total} percent.`);
  return parts.length === 0 ? false : parts;
}

/** A percentage, or a list of it and a type code (to YAML, 83 is a number and 8e a string). */
function readPartition(item: YamlNode, fields: Fields): { percent: number; code?: string } {
  const [size = item, type] = item.kind === 'sequence' ? item.items : [item];
  const percent = Number(size.kind === 'sequence' ? Number.NaN : pythonText(size));
  const code = type === undefined ? undefined : pythonText(type);
  const fits = percent > 0 && percent <= 100 && (item.kind !== 'sequence' || item.items.length === 2);
  if (!fits || (type !== undefined && !/^[0-9A-Fa-f-]{1,36}$/.test(code ?? ''))) {
    fields.expected('layout', item, 'a list of percentages or of [percentage, type code]');
    return { percent: 0 };
  }
  return code === undefined ? { percent } : { percent, code };
}
