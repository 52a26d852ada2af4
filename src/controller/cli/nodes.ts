import { messageOf } from '../model/message.ts';
import type { NodeRecord } from '../model/node-record.ts';
import type { NodeLine } from '../store/node-line.ts';
import { openSource, type SourceOptions } from './source.ts';
import { table } from './text/table.ts';

/** @returns 0 */
export async function nodesCommand(options: SourceOptions): Promise<number> {
  const { store } = openSource(options);
  try {
    const { namespace } = options;
    const text =
      options.output === 'json'
        ? `${JSON.stringify((await store.list(namespace)).map(plain), undefined, 2)}\n`
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

function tableOf(lines: readonly NodeLine[]): string {
  if (lines.length === 0) return 'No machine has enrolled yet.\n';
  const rows = lines.map(({ namespace, name, tiedBy, phase, step, reason, node, heard }) =>
    [namespace, name, tiedBy, phase, step, reason, node, heard].map((cell) => cell || '-'),
  );
  return `${table([['NAMESPACE', 'NAME', 'TIED BY', 'PHASE', 'STEP', 'REASON', 'NODE', 'HEARD'], ...rows])}\n`;
}
