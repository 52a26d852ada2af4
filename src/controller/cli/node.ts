import { formatMs } from '../../kit/duration.ts';
import { UsageError } from '../../kit/errors.ts';
import { visibleJson, visibleOutput } from '../../kit/terminal/visible.ts';
import type { EventFailure } from '../../protocol/events.ts';
import { messageOf } from '../model/message.ts';
import { type NodeRecord, nodeKey, type StoredEvent } from '../model/node-record.ts';
import { toJson } from './nodes.ts';
import { parseOutput } from './options/output.ts';
import { openSource, type SourceOptions } from './source.ts';
import { eventText, failureLines } from './text/event-text.ts';
import { formatTable } from './text/format-table.ts';
import { yamlText } from './text/yaml.ts';

/** @returns 0; 1 if there is no such node */
export async function nodeCommand(name: string, options: SourceOptions): Promise<number> {
  const output = parseOutput(options.output, ['text', 'json', 'yaml', 'name']);
  const source = openSource(options);
  try {
    const parts = name.split('/');
    if (parts.length > 2) throw new UsageError(`${name} is neither a name nor namespace/name`);
    const [short = '', namespace = options.namespace ?? source.namespace] = parts.reverse();
    const record = await source.store.find(namespace, short);
    if (!record) {
      process.stderr.write(
        `slipway-controller: ${namespace}/${short} has not enrolled; see: slipway-controller nodes\n`,
      );
      return 1;
    }
    const events = output === 'name' ? [] : await source.store.events(namespace, short);
    process.stdout.write(`${shown(record, events, output)}\n`);
    return 0;
  } finally {
    await source.store.close();
  }
}

function shown(
  record: NodeRecord,
  events: readonly StoredEvent[],
  output: 'text' | 'json' | 'yaml' | 'name',
): string {
  switch (output) {
    case 'json':
      return visibleJson({ ...toJson(record), eventLog: events }, 2);
    case 'yaml':
      return yamlText({ ...toJson(record), eventLog: events });
    case 'name':
      return nodeKey(record);
    case 'text':
      // The machine chose some of the text.
      return visibleOutput(text(record, events));
  }
}

function text(record: NodeRecord, events: readonly StoredEvent[]): string {
  const { namespace, name, spec, summary } = record;
  const { failure } = summary;
  const message = messageOf(summary, Date.now() - record.storedAt);
  const machine = spec.machine
    ? `${spec.machine.name}, found by its ${spec.machine.by === 'lateToken' ? "token and its Node's certificate, late" : spec.machine.by}`
    : 'none known for it';
  const head = [
    ['Node', `${namespace}/${name}`],
    ['Instance', `${spec.instance} (${spec.hostname})${spec.providerID ? `, ${spec.providerID}` : ''}`],
    ['Machine', machine],
    ['Enrolled', `${spec.enrolment.at} by ${spec.enrolment.method}`],
    ...admissionLines(record),
    ...(spec.certificate?.copied === undefined
      ? []
      : [
          [
            'Copied',
            `its disk, or a state of before: an old certificate was shown at ${spec.certificate.copied}`,
          ],
        ]),
    ['Phase', summary.phase],
    ['', message],
    ...(failure
      ? failureLines(failure)
          .filter((line) => !message.includes(line.trim()))
          .map((line) => ['', line])
      : []),
    [
      'Told',
      `${summary.events} events${summary.lost > 0 ? `, ${summary.lost} lost` : ''}, ${summary.warnings} ${summary.warnings === 1 ? 'warning' : 'warnings'}, boot ${summary.boots.length}`,
    ],
  ];
  const facts = Object.entries(summary.facts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const machineLines =
    facts.length === 0 ? [] : ['FACTS', formatTable(facts.map(([name, value]) => [`  ${name}`, value])), ''];
  return [
    formatTable(head),
    '',
    ...machineLines,
    stepTable(record),
    '',
    'TIMELINE',
    ...timeline(events, failure && message.includes(failure.cause) ? failure : undefined),
  ].join('\n');
}

function admissionLines({ spec: { admission, enrolment, machine } }: NodeRecord): string[][] {
  const keyName = machine?.by === 'firstUse' ? 'Key of first use' : 'TPM';
  const why = admission?.why === undefined ? '' : `: ${admission.why} (${admission.reason})`;
  return [
    ...(enrolment.endorsementKey === undefined ? [] : [[keyName, enrolment.endorsementKey]]),
    ...(enrolment.policies === undefined ? [] : [['Policies', enrolment.policies.join(', ')]]),
    ...(admission ? [['Admission', `${admission.state} since ${admission.at}${why}`]] : []),
  ];
}

function stepTable({ summary }: NodeRecord): string {
  if (summary.steps.length === 0) return 'No steps are known.';
  return formatTable([
    ['STEP', 'RESULT', 'ATTEMPTS', 'TOOK', 'LAST FAILURE'],
    ...summary.steps.map(({ title, result, attempts, ms, code }) => [
      title,
      result,
      String(attempts),
      ms > 0 ? formatMs(ms) : '-',
      code ?? '-',
    ]),
  ]);
}

/** Equal for failures that would be printed alike: a step's last attempt, its end and the end of the sequence have the same failure. */
function failureKey({ code, cause, remedy, lines = [], exitStatus }: EventFailure): string {
  return JSON.stringify([code, cause, remedy, lines, exitStatus]);
}

/** Within a boot, times come from the monotonic clock, which nobody sets. */
function timeline(events: readonly StoredEvent[], headFailure: EventFailure | undefined): string[] {
  const shown = new Set(headFailure ? [failureKey(headFailure)] : []);
  const isShown = (failure: EventFailure): boolean => {
    const key = failureKey(failure);
    const isKnown = shown.has(key);
    shown.add(key);
    return isKnown;
  };
  const lines: string[] = [];
  let boot = '';
  let began = 0;
  for (const event of events) {
    if (event.boot !== boot) {
      ({ boot, mono: began } = event);
      lines.push(`  boot ${boot}, from ${event.time}`);
    }
    const at = `+${formatMs(Math.max(0, event.mono - began))}`.padStart(10);
    const [first = '', ...more] = eventText(event, isShown);
    lines.push(`${at}  ${first}`, ...more.map((line) => `${' '.repeat(12)}${line}`));
  }
  return lines.length > 0 ? lines : ['  nothing was reported yet'];
}
