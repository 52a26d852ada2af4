import { UsageError } from '../../kit/errors.ts';
import { visibleJson, visibleOutput } from '../../kit/terminal/visible.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { type Output, parseOutput } from './options/output.ts';
import { listedNamespace, openSource, type SourceOptions } from './source.ts';
import { csv } from './text/csv.ts';
import { formatTable } from './text/format-table.ts';
import { yamlText } from './text/yaml.ts';

const FORMATS = ['text', 'csv', 'json'];
type Format = Output | 'csv';

type Column = readonly [title: string, ...facts: string[]];

/**
 * Facts by the columns that they make, of several the first that is there; what identifies one machine comes last, and only
 * where it is kept.
 */
const COLUMNS: readonly Column[] = [
  ['VENDOR', 'vendor'],
  ['PRODUCT', 'product'],
  ['INSTANCE TYPE', 'instance-type'],
  ['REGION', 'region'],
  ['ZONE', 'zone'],
  ['ARCH', 'architecture'],
  ['CPU', 'cpu'],
  ['SOCKETS', 'sockets'],
  ['CORES', 'cores'],
  ['THREADS', 'cpus'],
  ['MEMORY', 'installed-memory', 'memory'],
  ['NUMA NODES', 'numa-nodes'],
  ['GPUS', 'gpus'],
  ['ACCELERATORS', 'accelerators'],
  ['DISKS', 'disks'],
  ['INTERFACES', 'interfaces'],
  ['VIRTUALISATION', 'virtualisation'],
  ['FIRMWARE', 'firmware'],
  ['SECURE BOOT', 'secure-boot'],
  ['TPM', 'tpm'],
  ['OS', 'os'],
  ['KERNEL', 'kernel'],
  ['CONTROL GROUPS', 'cgroups'],
  ['SERIAL', 'serial'],
  ['UUID', 'uuid'],
  ['MACS', 'macs'],
  ['DISK SERIALS', 'disk-serials'],
  ['GPU UUIDS', 'gpu-uuids'],
];
/** What a table on a terminal has room for. */
const SHORT = new Set(['VENDOR', 'PRODUCT', 'INSTANCE TYPE', 'THREADS', 'MEMORY', 'GPUS', 'DISKS', 'SERIAL']);

interface InventoryOptions extends SourceOptions {
  format?: string;
}

/** @returns 0 */
export async function inventoryCommand({ format, ...options }: InventoryOptions): Promise<number> {
  if (format !== undefined && !FORMATS.includes(format))
    throw new UsageError(`--format: ${format} is not one of text, csv, json`);
  const output = parseOutput(options.output, ['text', 'wide', 'json', 'yaml', 'name']);
  const asked = (format as Format | undefined) ?? output;
  const { store } = openSource(options);
  try {
    const records = await store.list(listedNamespace(options));
    process.stdout.write(shown(records, asked));
    return 0;
  } finally {
    await store.close();
  }
}

function shown(records: readonly NodeRecord[], format: Format): string {
  if (format === 'json') return `${visibleJson(records.map(toJson), 2)}\n`;
  if (format === 'yaml') return `${yamlText(records.map(toJson))}\n`;
  if (format === 'name') return records.map((record) => `${nodeKey(record)}\n`).join('');
  return `${tableOf(records, format)}\n`;
}

function toJson({ namespace, name, spec, summary, storedAt }: NodeRecord) {
  return {
    namespace,
    name,
    hostname: spec.hostname,
    ...(spec.machine === undefined ? {} : { machine: spec.machine.name }),
    facts: summary.facts ?? {},
    toldAt: new Date(storedAt).toISOString(),
  };
}

/** CSV has all columns, so that every file has the same; a table has those with a value, `text` only the short ones. */
function tableOf(records: readonly NodeRecord[], format: 'text' | 'wide' | 'csv'): string {
  const columns = COLUMNS.filter(
    (column) =>
      format === 'csv' ||
      ((format === 'wide' || SHORT.has(column[0])) && records.some((record) => cell(record, column))),
  );
  const rows = records.map((record) => [
    record.namespace,
    record.name,
    ...(format === 'csv' ? [record.spec.machine?.name ?? ''] : []),
    ...columns.map((column) => cell(record, column)),
  ]);
  const head = [
    'NAMESPACE',
    'NAME',
    ...(format === 'csv' ? ['MACHINE'] : []),
    ...columns.map(([title]) => title),
  ];
  if (format === 'csv') return csv([head, ...rows]);
  if (records.length === 0) return 'No machine has enrolled yet.';
  return visibleOutput(formatTable([head, ...rows.map((row) => row.map((text) => text || '-'))]));
}

function cell({ summary: { facts = {} } }: NodeRecord, [, ...names]: Column): string {
  return names.map((name) => facts[name]).find(Boolean) ?? '';
}
