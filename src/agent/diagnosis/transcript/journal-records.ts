/**
 * Reads what `journalctl -o export` and `-o verbose` print: a record has a line for each of its fields. What counts of it
 * becomes a line with a prefix, as journald's other forms have it.
 */
import type { RawLine } from './line.ts';

const FIELDS = ['MESSAGE', 'SYSLOG_IDENTIFIER', '_COMM', '_PID', 'SYSLOG_PID', '_HOSTNAME'];
/** The head of a record of `-o verbose`: its time and its cursor. */
const VERBOSE_HEAD = /^(?:\p{L}{1,5}\.? )?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \S+ \[s=[\da-f]+;/u;
const VERBOSE_FIELD = /^ {4}([A-Z_][A-Z\d_]*)=(.*)$/;
const EXPORT_HEAD = /^__CURSOR=s=[\da-f]+;/;
const EXPORT_FIELD = /^([A-Z_][A-Z\d_]*)(?:=(.*))?$/;
/** A value of several lines comes after its length, as eight bytes. */
const LENGTH = 8;

interface JournalRecord {
  number: number;
  time: string;
  fields: Map<string, string>;
}

/** Undefined where the text is in neither of the two forms. */
export function journalRecords(text: string, firstNumber: number): RawLine[] | undefined {
  const isExport = new RegExp(EXPORT_HEAD.source, 'm').test(text);
  if (!isExport && !new RegExp(VERBOSE_HEAD.source, 'mu').test(text)) return undefined;
  const read = isExport ? readExport : readVerbose;
  const out: RawLine[] = [];
  let record: JournalRecord | undefined;
  const end = (): void => {
    if (record !== undefined) out.push(...asLines(record));
    record = undefined;
  };
  let field = '';
  for (const [index, line] of text.split('\n').entries()) {
    const head = (isExport ? EXPORT_HEAD : VERBOSE_HEAD).test(line);
    if (head) {
      end();
      record = { number: firstNumber + index, time: isExport ? '' : line, fields: new Map() };
      field = '';
    } else if (record === undefined) out.push({ number: firstNumber + index, text: line });
    else field = read(record, line, field);
  }
  end();
  return out;
}

/** @returns the name of the field that the next line may go on with */
function readExport({ fields }: JournalRecord, line: string, field: string): string {
  const [, name = '', value] = EXPORT_FIELD.exec(line) ?? [];
  if (name !== '' && (field === '' || value !== undefined)) {
    if (value !== undefined) fields.set(name, value);
    return value === undefined ? name : '';
  }
  if (field === '' || line === '') return '';
  const before = fields.get(field);
  fields.set(field, before === undefined ? line.slice(LENGTH) : `${before}\n${line}`);
  return field;
}

function readVerbose({ fields }: JournalRecord, line: string, field: string): string {
  const [, name, value = ''] = VERBOSE_FIELD.exec(line) ?? [];
  if (line === '') return '';
  if (name !== undefined) fields.set(name, value);
  else if (field !== '') fields.set(field, `${fields.get(field) ?? ''}\n${line.trim()}`);
  return name ?? field;
}

function asLines({ number, time, fields }: JournalRecord): RawLine[] {
  const known = Object.fromEntries(FIELDS.map((name) => [name, fields.get(name)]));
  const stamp = Number(fields.get('__REALTIME_TIMESTAMP')) || Date.parse(clockOf(time)) * 1000;
  const prefix = journalPrefix({ ...known, __REALTIME_TIMESTAMP: String(stamp) });
  const { MESSAGE = '' } = known;
  return MESSAGE.split('\n').map((text) => ({ number, text, prefix }));
}

const clockOf = (head: string): string => {
  const [, day = '', clock = ''] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(head) ?? [];
  return `${day}T${clock}Z`;
};

/** The prefix of `journalctl -o short-iso` for a record whose fields are known. */
export function journalPrefix(record: Record<string, unknown>): string {
  const field = (name: string): string => textOf(record[name]).replace(/\s/g, '_');
  const micros = Number(field('__REALTIME_TIMESTAMP'));
  const time = Number.isFinite(micros) ? new Date(micros / 1000) : new Date(0);
  const stamp = Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
  const program = field('SYSLOG_IDENTIFIER') || field('_COMM') || 'unknown';
  return `${stamp} ${field('_HOSTNAME') || 'host'} ${program}[${field('_PID') || field('SYSLOG_PID') || '0'}]: `;
}

/** journald writes what is no plain text as numbers. */
export function textOf(value: unknown): string {
  if (Array.isArray(value))
    return Buffer.from(value.filter((one) => typeof one === 'number')).toString('utf8');
  return typeof value === 'string' ? value : '';
}
