import type { SlipwayEvent } from '../../../protocol/events.ts';
import { shorten } from '../events/bounded.ts';
import { describeEvent } from '../events/describe-event.ts';

const KEY_BYTES = 512;
const VALUE_BYTES = 2048;
export const RECORD_BYTES = KEY_BYTES + VALUE_BYTES;
/** Azure reads no more of a value; the terminating zero counts. */
const USED_VALUE_BYTES = 1024;
/** What cloud-init leaves free in each part of a value that it had to split. */
const SPARE_BYTES = 8;
/** Leaves room in the key for everything else. */
const MAX_NAME = 100;

/** What all records of one boot of a machine have in their keys. */
export interface KvpOrigin {
  /** When the machine booted, in seconds since 1970, by the clock then: tells this boot's records from an earlier one's. */
  incarnation: number;
  /** The virtual machine, as the host knows it. */
  vmId: string;
}

/**
 * The records of an event, in the form of cloud-init's HyperVKvpReportingHandler: key
 * `SLIPWAY|incarnation|type|name|vm|uuid`, value JSON with name, type, ts, result, duration, msg in that order, in ASCII.
 * A record that is longer than Azure reads becomes several, with `|0`, `|1` ... behind the key and `msg_i` in the value.
 * Their `msg` together are the message. Hosts get no record of what they need not know.
 */
export function kvpRecords(event: SlipwayEvent, origin: KvpOrigin, uuid: string): Buffer[] {
  const message = describeEvent(event);
  if (message === undefined) return [];
  const name = shorten('step' in event && event.step ? event.step.id : 'bootstrap', MAX_NAME);
  const type =
    event.type === 'sequence.started' ? 'start' : event.type === 'step.ended' ? 'finish' : event.type;
  const failed = 'failure' in event && event.failure !== undefined;
  const isEnd = event.type.endsWith('.ended') || event.type === 'agent.lost';
  const head = {
    name,
    type,
    ts: pythonTime(event.time),
    ...(isEnd ? { result: failed ? 'FAIL' : 'SUCCESS' } : {}),
    ...('ms' in event ? { duration: event.ms / 1000 } : {}),
  };
  const { incarnation, vmId } = origin;
  // A name with a bar in it would be taken for two fields.
  const key = ['SLIPWAY', incarnation, type, name.replace(/[^\x20-\x7b\x7d-\x7e]/g, '_'), vmId, uuid].join(
    '|',
  );
  const whole = asciiJson({ ...head, msg: message });
  if (whole.length < USED_VALUE_BYTES) return [record(key, whole)];
  return parts(head, message).map((value, index) => record(`${key}|${index}`, value));
}

function parts(head: Record<string, unknown>, message: string): string[] {
  const values: string[] = [];
  let rest = asciiJson(message).slice(1, -1);
  while (rest !== '') {
    const empty = asciiJson({ ...head, msg_i: values.length, msg: '' });
    const taken = rest.slice(0, wholeEscapes(rest, USED_VALUE_BYTES - empty.length - SPARE_BYTES));
    values.push(`${empty.slice(0, -2)}${taken}"}`);
    rest = rest.slice(taken.length);
  }
  return values;
}

/** At most `length`, but not in the middle of an escape such as `\u20ac`, where the part would not be JSON any more. */
function wholeEscapes(text: string, length: number): number {
  let end = 0;
  for (const [match] of text.matchAll(/\\u[0-9a-f]{4}|\\.|[^\\]+/g)) {
    const isPlain = !match.startsWith('\\');
    if (end + match.length > length) return isPlain ? length : end;
    end += match.length;
  }
  return end;
}

/** JSON as Python's json.dumps makes it: everything that is not printable ASCII is escaped, so a character is a byte. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** As datetime.isoformat has it: microseconds where there are any, and the zone as an offset. */
function pythonTime(time: string): string {
  const [, seconds = '', fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z$/.exec(time) ?? [];
  return /[1-9]/.test(fraction) ? `${seconds}.${fraction.padEnd(6, '0')}+00:00` : `${seconds}+00:00`;
}

function record(key: string, value: string): Buffer {
  const bytes = Buffer.alloc(RECORD_BYTES);
  bytes.write(key, 0, KEY_BYTES - 1, 'utf8');
  bytes.write(value, KEY_BYTES, VALUE_BYTES - 1, 'utf8');
  return bytes;
}
