import type { EventType, SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { describeEvent } from '../events/describe-event.ts';
import { deliverOneByOne, type Transport } from './transport.ts';

const SOCKET = '/run/systemd/journal/socket';
const TIMEOUT_MS = 5000;

/** `journalctl MESSAGE_ID=...` finds each type of event by these; never change one. */
export const MESSAGE_IDS: Record<EventType, string> = {
  'sequence.started': 'd4851c9c731f4390bf84abc4f29fe911',
  'sequence.ended': 'a734ee89686f446eb37fa3bfa513e33e',
  'step.started': '3e83eb2bfabf41b8bb753d62c35acbed',
  'step.progress': '53c60aeca1694643ac929f5d63a65cf9',
  'step.attempt': '36da7d970a7d4659b1af0b8ed3d826e1',
  'step.ended': '32bc4341da894c2cb4eb492eb6ee7801',
  'agent.lost': '47272f0cb3c045408c40f72e8260d04b',
  finding: '27a9be7915284d9e94bee10ab35a70fc',
  fact: '7139488cfaf44aceba33da7564e7d5bb',
  heartbeat: 'd24413311ce04b65b6e316d52539fc14',
  'sentinel.seen': 'bf54497f9e314d4392a905cf1588835f',
  'node.observed': 'fd4ab4f4ad2d41cba0403adf43a51cec',
  'node.reset': '52b7464ad16d4087b0a65c9a13e5c379',
  'events.lost': 'd643ffc2fbc249e69b1787c619bbffda',
};

/**
 * systemd's journal, with fields to search by. Node.js has no datagram sockets of the Unix kind, so logger(1) of
 * util-linux speaks journald's protocol for us, a process for each event.
 */
export class JournaldTransport implements Transport {
  readonly name = 'journald';
  readonly reliable = false;
  readonly graceMs = 5000;
  readonly batch = 16;
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    return deliverOneByOne(events, async (event) => {
      const answer = await this.#host.processes.run({
        argv: ['logger', '--journald'],
        input: journalEntry(event),
        timeoutMs: TIMEOUT_MS,
        signal,
      });
      if (answer.exitStatus === 0) return undefined;
      return `logger --journald: ${answer.stderr.trim() || `status ${answer.exitStatus}`}`;
    });
  }
}

/** Does this machine have journald and a logger that can speak to it? */
export async function hasJournald(host: Host): Promise<boolean> {
  return (
    (await host.files.stat(SOCKET)) !== undefined && (await host.processes.which('logger')) !== undefined
  );
}

/** A line for each field, as logger(1) reads them. */
export function journalEntry(event: SlipwayEvent): string {
  const failure = 'failure' in event ? event.failure : undefined;
  const step = 'step' in event ? event.step : undefined;
  const fields: Record<string, string | number | undefined> = {
    MESSAGE: describeEvent(event) ?? plain(event),
    MESSAGE_ID: MESSAGE_IDS[event.type],
    PRIORITY: priorityOf(event),
    SYSLOG_IDENTIFIER: 'slipway',
    SLIPWAY_TYPE: event.type,
    SLIPWAY_SEQ: event.seq,
    SLIPWAY_TIME: event.time,
    SLIPWAY_SEQUENCE: 'sequence' in event ? event.sequence : undefined,
    SLIPWAY_STEP: step?.id,
    SLIPWAY_CODE: failure?.code ?? ('code' in event ? event.code : undefined),
    SLIPWAY_REMEDY: failure?.remedy,
    SLIPWAY_OUTPUT: failure?.lines?.join(' | '),
    TRACEPARENT: event.traceparent,
  };
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${String(value).replace(/[\r\n]+/g, ' ')}\n`)
    .join('');
}

/** syslog's levels: 3 error, 4 warning, 5 notice, 6 info, 7 debug. */
function priorityOf(event: SlipwayEvent): number {
  if (event.type === 'agent.lost') return 3;
  if (event.type === 'finding') return event.severity === 'warning' ? 4 : 6;
  if (event.type === 'events.lost' || event.type === 'step.attempt') return 4;
  if (event.type === 'step.ended' || event.type === 'sequence.ended') return event.failure ? 3 : 5;
  return describeEvent(event) === undefined ? 7 : 5;
}

function plain(event: SlipwayEvent): string {
  switch (event.type) {
    case 'fact':
      return `${event.name}: ${event.value}`;
    case 'finding':
      return `${event.message} [${event.code}]`;
    case 'step.started':
      return `${event.step.title} ...`;
    case 'step.progress':
      return `${event.step.title}: ${event.message}`;
    case 'heartbeat':
      return `${event.step?.title ?? 'the bootstrap'} is still running`;
    default:
      return event.type;
  }
}
