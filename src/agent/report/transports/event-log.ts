import type { EventType, SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { windowsProgram } from '../../host/windows-program.ts';
import { describeEvent } from '../events/describe-event.ts';
import { deliverOneByOne, type Transport } from './transport.ts';

const PROGRAM = 'eventcreate.exe';
const TIMEOUT_MS = 10_000;
/** An event holds 31,839 characters; a command line 32,767. */
const MOST_CHARACTERS = 20_000;

/** What `Get-WinEvent` finds each type of event by, from 1 to 1000 as eventcreate has it; never change one. */
const EVENT_IDS: Partial<Record<EventType, number>> = {
  'sequence.started': 1,
  'sequence.ended': 2,
  'step.attempt': 3,
  'step.ended': 4,
  'agent.lost': 5,
  finding: 6,
  'node.observed': 7,
  'sentinel.seen': 8,
  'node.reset': 9,
  'events.lost': 10,
};

/**
 * Windows' event log: the log Application, source Slipway. eventcreate registers the source by itself; it is a program for each
 * event, so only what a person wants to read is told.
 */
export class EventLogTransport implements Transport {
  readonly name = 'eventlog';
  readonly reliable = false;
  readonly graceMs = 10_000;
  readonly batch = 16;
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    return deliverOneByOne(events, async (event) => {
      const argv = eventCreation(this.#host, event);
      if (argv === undefined) return undefined;
      const answer = await this.#host.processes.run({ argv, timeoutMs: TIMEOUT_MS, signal });
      if (answer.exitStatus === 0) return undefined;
      return `${PROGRAM}: ${answer.stderr.trim() || answer.stdout.trim() || `status ${answer.exitStatus}`}`;
    });
  }
}

/** Nano Server has no eventcreate. */
export async function hasEventLog(host: Host): Promise<boolean> {
  if (host.platform !== 'windows') return false;
  return (await host.files.stat(windowsProgram(host, PROGRAM))) !== undefined;
}

/** Undefined for what nobody reads. */
function eventCreation(host: Pick<Host, 'env'>, event: SlipwayEvent): [string, ...string[]] | undefined {
  const [text, id] = [describeEvent(event), EVENT_IDS[event.type]];
  if (text === undefined || id === undefined) return undefined;
  return [
    ...([windowsProgram(host, PROGRAM), '/l', 'APPLICATION', '/so', 'Slipway'] as const),
    ...(['/t', levelOf(event), '/id', String(id), '/d', text.slice(0, MOST_CHARACTERS)] as const),
  ];
}

function levelOf(event: SlipwayEvent): 'ERROR' | 'WARNING' | 'INFORMATION' {
  if (event.type === 'agent.lost') return 'ERROR';
  if (event.type === 'finding' || event.type === 'events.lost' || event.type === 'step.attempt')
    return 'WARNING';
  const hasFailed = 'failure' in event && event.failure !== undefined;
  return hasFailed ? 'ERROR' : 'INFORMATION';
}
