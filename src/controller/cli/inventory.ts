import type { NodeRecord } from '../model/node-record.ts';
import { openSource, type SourceOptions } from './source.ts';
import { csv } from './text/csv.ts';
import { table } from './text/table.ts';
import { UsageError } from './usage-error.ts';

const FORMATS = ['text', 'csv', 'json'];

/** Facts by the columns that they make; what identifies one machine comes last, and only where it is kept. */
const COLUMNS: readonly (readonly [title: string, fact: string])[] = [
  ['VENDOR', 'vendor'],
  ['PRODUCT', 'product'],
  ['INSTANCE TYPE', 'instance-type'],
  ['ZONE', 'zone'],
  ['ARCH', 'architecture'],
  ['CPU', 'cpu'],
  ['SOCKETS', 'sockets'],
  ['CORES', 'cores'],
  ['THREADS', 'cpus'],
  ['MEMORY', 'installed-memory'],
  ['GPUS', 'gpus'],
  ['DISKS', 'disks'],
  ['INTERFACES', 'interfaces'],
  ['VIRTUALISATION', 'virtualisation'],
  ['FIRMWARE', 'firmware'],
  ['SECURE BOOT', 'secure-boot'],
  ['TPM', 'tpm'],
  ['OS', 'os'],
  ['KERNEL', 'kernel'],
  ['SERIAL', 'serial'],
  ['UUID', 'uuid'],
  ['MACS', 'macs'],
];
/** What a table on a terminal has room for. */
const SHORT = new Set(['VENDOR', 'PRODUCT', 'INSTANCE TYPE', 'THREADS', 'MEMORY', 'GPUS', 'DISKS', 'SERIAL']);

export interface InventoryOptions extends SourceOptions {
  format?: string;
}

/** @returns 0 */
export async function inventoryCommand({ format, ...options }: InventoryOptions): Promise<number> {
  const asked = format ?? options.output ?? 'text';
  if (!FORMATS.includes(asked)) throw new UsageError(`--format: ${asked} is none of text, csv, json`);
  const { store } = openSource(options);
  try {
    const records = await store.list(options.namespace);
    process.stdout.write(`${shown(records, asked)}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

function shown(records: readonly NodeRecord[], format: string): string {
  if (format === 'json')
    return JSON.stringify(
      records.map(({ namespace, name, spec, summary, storedAt }) => ({
        namespace,
        name,
        hostname: spec.hostname,
        ...(spec.machine === undefined ? {} : { machine: spec.machine.name }),
        facts: summary.facts ?? {},
        toldAt: new Date(storedAt).toISOString(),
      })),
      undefined,
      2,
    );
  const columns = COLUMNS.filter(
    ([title, fact]) =>
      (format === 'csv' || SHORT.has(title)) &&
      (format === 'csv' || records.some(({ summary }) => summary.facts?.[fact] !== undefined)),
  );
  const rows = records.map(({ namespace, name, spec, summary }) => [
    namespace,
    name,
    ...(format === 'csv' ? [spec.machine?.name ?? ''] : []),
    ...columns.map(([, fact]) => summary.facts?.[fact] ?? ''),
  ]);
  const head = [
    'NAMESPACE',
    'NAME',
    ...(format === 'csv' ? ['MACHINE'] : []),
    ...columns.map(([title]) => title),
  ];
  if (format === 'csv') return csv([head, ...rows]);
  if (records.length === 0) return 'No machine has enrolled yet.';
  return table([head, ...rows.map((row) => row.map((cell) => cell || '-'))]);
}
