import { messageOf } from '../machines/message.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { openSource, type SourceOptions } from './source.ts';
import { age, table } from './table.ts';

/** @returns 0; 1 when a machine has failed, so that scripts can ask */
export async function nodesCommand(options: SourceOptions): Promise<number> {
  const { store } = openSource(options);
  try {
    const records = await store.list(options.namespace);
    process.stdout.write(
      options.output === 'json' ? `${JSON.stringify(records.map(plain), undefined, 2)}\n` : text(records),
    );
    return 0;
  } finally {
    await store.close();
  }
}

/** A node for programs. */
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

function text(records: readonly NodeRecord[]): string {
  if (records.length === 0) return 'No machine has enrolled yet.\n';
  const now = Date.now();
  const rows = records.map(({ namespace, name, spec, summary, storedAt }) => [
    namespace,
    name,
    spec.machine ? spec.machine.by : '-',
    summary.phase,
    stepText(summary),
    summary.failure?.code ?? '-',
    summary.node?.state ?? '-',
    age(storedAt, now),
  ]);
  return `${table([['NAMESPACE', 'NAME', 'TIED BY', 'PHASE', 'STEP', 'REASON', 'NODE', 'HEARD'], ...rows])}\n`;
}

function stepText({ steps, step }: NodeRecord['summary']): string {
  const at = steps.findIndex(({ id }) => id === step);
  const found = steps[at];
  return found ? `${at + 1}/${steps.length} ${found.title}` : '-';
}
