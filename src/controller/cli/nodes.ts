import { UsageError } from '../../kit/errors.ts';
import { visibleJson, visibleOutput } from '../../kit/terminal/visible.ts';
import { messageOf } from '../model/message.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import { type Action, Admissions } from '../proofs/admissions.ts';
import { lineOf, type NodeLine } from '../store/node-line.ts';
import type { Store } from '../store/store.ts';
import { type Output, parseOutput } from './options/output.ts';
import { listedNamespace, OBJECT_NAME, openSource, type SourceOptions } from './source.ts';
import { formatTable } from './text/format-table.ts';
import { yamlText } from './text/yaml.ts';

interface NodesOptions extends SourceOptions {
  wide?: boolean;
  controllerNamespace: string;
}

/** @returns 0; 1 if there is no such node */
export async function nodesCommand(
  action: 'list' | Action,
  names: readonly string[],
  options: NodesOptions,
): Promise<number> {
  if (action !== 'list') return await decide(action, names, options);
  if (names.length > 0) throw new UsageError(`nodes list: unexpected argument ${names[0]}`);
  const format = parseOutput(options.output, ['text', 'wide', 'json', 'yaml', 'name']);
  const { store } = openSource(options);
  try {
    const output = options.wide && format === 'text' ? 'wide' : format;
    process.stdout.write(await listing(store, listedNamespace(options), output));
    return 0;
  } finally {
    await store.close();
  }
}

async function listing(store: Store, namespace: string | undefined, output: Output): Promise<string> {
  switch (output) {
    case 'json':
      return `${visibleJson((await store.list(namespace)).map(toJson), 2)}\n`;
    case 'yaml':
      return `${yamlText((await store.list(namespace)).map(toJson))}\n`;
    case 'name':
      return (await store.overview(namespace)).map((node) => `${nodeKey(node)}\n`).join('');
    case 'wide':
      return wideOf(await store.list(namespace));
    case 'text':
      return tableOf(await store.overview(namespace));
  }
}

/** Says of nodes whether they may have certificates and secrets. */
async function decide(action: Action, texts: readonly string[], options: NodesOptions): Promise<number> {
  if (texts.length === 0) throw new UsageError(`nodes ${action}: which one? See: slipway-controller nodes`);
  if (options.allNamespaces)
    throw new UsageError(`nodes ${action}: --all-namespaces is for list; write NAMESPACE/NAME`);
  const { client, store, namespace: own } = openSource(options);
  try {
    if (!client)
      throw new UsageError(`nodes ${action}: without a cluster there are no Machines to admit nodes as`);
    const names = texts.map((text) => namesOf(text, options.namespace ?? own));
    const admissions = new Admissions({ client, store, home: options.controllerNamespace });
    let status = 0;
    for (const { namespace, name } of names) {
      const said = await admissions.decide(action, namespace, name);
      if (said === undefined) status = 1;
      const text = said ?? 'has not enrolled; see: slipway-controller nodes';
      process.stderr.write(`slipway-controller: ${namespace}/${name} ${text}\n`);
    }
    return status;
  } finally {
    await store.close();
  }
}

function namesOf(text: string, own: string): { namespace: string; name: string } {
  const [name = '', namespace = own, ...more] = text.split('/').reverse();
  if (more.length > 0 || !OBJECT_NAME.test(name) || !OBJECT_NAME.test(namespace))
    throw new UsageError(`${text} is neither a name nor namespace/name`);
  return { namespace, name };
}

/** A node as JSON for programs. */
export function toJson({ namespace, name, spec, epoch, seq, summary, storedAt }: NodeRecord) {
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
  return `${visibleOutput(formatTable([head, ...rows.map((row) => row.map((cell) => cell || '-'))]))}\n`;
}
