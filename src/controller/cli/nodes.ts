import { messageOf } from '../model/message.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { lineOf, type NodeLine } from '../store/node-line.ts';
import { openSource, type SourceOptions } from './source.ts';
import { table } from './text/table.ts';

/** @returns 0 */
export async function nodesCommand(options: SourceOptions & { wide?: boolean }): Promise<number> {
  const { store } = openSource(options);
  try {
    const { namespace } = options;
    const text =
      options.output === 'json'
        ? `${JSON.stringify((await store.list(namespace)).map(plain), undefined, 2)}\n`
        : options.wide
          ? wideOf(await store.list(namespace))
          : tableOf(await store.overview(namespace));
    process.stdout.write(text);
    return 0;
  } finally {
    await store.close();
  }
}

/** A node as JSON for programs. */
export function plain({ namespace, name, spec, epoch, seq, summary, storedAt }: NodeRecord) {
  return {
    namespace,
    name,
    ...spec,
    ...summary,
    message: messageOf(summary, Date.now() - storedAt),
    epoch,
    seq,
    storedAt: new Date(storedAt).toISOString(),
  };
}

const HEAD = ['NAMESPACE', 'NAME', 'TIED BY', 'PHASE', 'STEP', 'REASON', 'NODE', 'HEARD'];
const WIDE: readonly (readonly [title: string, ...facts: string[]])[] = [
  ['PRODUCT', 'product'],
  ['CPUS', 'cpus'],
  ['MEMORY', 'installed-memory', 'memory'],
  ['GPUS', 'gpus'],
  ['INSTANCE TYPE', 'instance-type'],
  ['OS', 'os'],
];

function tableOf(lines: readonly NodeLine[]): string {
  return shown(HEAD, lines.map(cellsOf));
}

/** Reads whole nodes: the API server's own tables have no facts. */
function wideOf(records: readonly NodeRecord[]): string {
  const rows = records.map((record) => {
    const { facts = {} } = record.summary;
    const wide = WIDE.map(([, ...names]) => names.map((name) => facts[name]).find(Boolean) ?? '');
    return [...cellsOf(lineOf(record, Date.now())), ...wide];
  });
  return shown([...HEAD, ...WIDE.map(([title]) => title)], rows);
}

function cellsOf({ namespace, name, tiedBy, phase, step, reason, node, heard }: NodeLine): string[] {
  return [namespace, name, tiedBy, phase, step, reason, node, heard];
}

function shown(head: readonly string[], rows: readonly string[][]): string {
  if (rows.length === 0) return 'No machine has enrolled yet.\n';
  return `${table([head, ...rows.map((row) => row.map((cell) => cell || '-'))])}\n`;
}
