import type { EventFailure, SlipwayEvent } from '../../../protocol/events.ts';
import { traceparentOf } from '../events/trace.ts';

/** SPAN_KIND_INTERNAL. */
const INTERNAL = 1;
const STATUS = { ok: 1, error: 2 } as const;

type Value = { stringValue: string } | { intValue: number };
type Attribute = { key: string; value: Value };

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: typeof INTERNAL;
  /** Decimal; JSON has no integers of 64 bits (OTLP specification, JSON Protobuf encoding). */
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number; message?: string };
}

/**
 * The spans that end with these events, as OTLP's ExportTraceServiceRequest in JSON (opentelemetry-proto,
 * trace.proto): one for each attempt of a step, and the bootstrap itself as their parent. Ids come from the
 * events' own trace context, so what is sent twice is the same span. Undefined where nothing ends.
 *
 * @param version of the reporter
 */
export function traceRequest(events: readonly SlipwayEvent[], version: string): object | undefined {
  const spans = events.map(spanOf).filter((span) => span !== undefined);
  const { machine } = events.at(-1) ?? {};
  if (spans.length === 0 || machine === undefined) return undefined;
  const { instance, hostname, providerID } = machine;
  const about = {
    'service.name': 'slipway',
    'service.version': version,
    'service.instance.id': instance,
    'host.id': instance,
    'host.name': hostname,
    'cloud.resource_id': providerID,
  };
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes(about) },
        scopeSpans: [{ scope: { name: 'slipway', version }, spans }],
      },
    ],
  };
}

function spanOf(event: SlipwayEvent): Span | undefined {
  switch (event.type) {
    case 'step.attempt':
    case 'step.ended': {
      const { step, attempt, failure } = event;
      const [, parentSpanId = ''] = ids(rootOf(event));
      return span(event, {
        ids: ids(event.traceparent),
        parentSpanId,
        name: step.title,
        failure: event.type === 'step.ended' && event.result === 'done' ? undefined : failure,
        about: { 'slipway.step': step.id, 'slipway.attempt': attempt },
      });
    }
    case 'sequence.ended': {
      const { mode, result, exitStatus, failure } = event;
      return span(event, {
        ids: ids(rootOf(event)),
        name: 'bootstrap',
        failure,
        about: {
          'slipway.mode': mode,
          'slipway.result': result,
          'process.exit.code': exitStatus,
          'slipway.boot': event.boot,
        },
      });
    }
    default:
      return undefined;
  }
}

interface Draft {
  ids: [trace: string, span: string];
  parentSpanId?: string;
  name: string;
  failure: EventFailure | undefined;
  about: Record<string, string | number | undefined>;
}

function span(event: SlipwayEvent & { ms: number }, draft: Draft): Span {
  const { ids, parentSpanId, name, failure, about } = draft;
  const end = Date.parse(event.time);
  const failed = { code: STATUS.error, message: failure?.cause ?? '' };
  const why = failure && { 'error.type': failure.code, 'slipway.remedy': failure.remedy };
  return {
    traceId: ids[0],
    spanId: ids[1],
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(end - event.ms),
    endTimeUnixNano: nanoseconds(end),
    attributes: attributes({ ...about, ...why }),
    status: failure ? failed : { code: STATUS.ok },
  };
}

/** The trace context of the bootstrap as a whole. */
function rootOf({ machine, boot, sequence }: SlipwayEvent & { sequence: string }): string {
  return traceparentOf(machine.instance, boot, { type: 'heartbeat', sequence });
}

function ids(traceparent: string): [string, string] {
  const [, trace = '', span = ''] = traceparent.split('-');
  return [trace, span];
}

const nanoseconds = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`;

function attributes(values: Record<string, string | number | undefined>): Attribute[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'number' ? { intValue: value } : { stringValue: value } }];
  });
}
