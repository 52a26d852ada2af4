import { formatMs } from '../../../kit/duration.ts';
import type { EventFailure } from '../../../protocol/events.ts';
import type { StoredEvent } from '../../model/node-record.ts';

/**
 * An event for people: one line, then the output and the remedy of its failure.
 *
 * @param isShown whether the reader has seen this failure already; then only its code is printed
 */
export function eventText(
  event: StoredEvent,
  isShown: (failure: EventFailure) => boolean = () => false,
): string[] {
  const line = describe(event);
  const failure = 'failure' in event ? event.failure : undefined;
  if (failure && isShown(failure)) return [`${line} [${failure.code}]`];
  return failure ? [`${line}: ${failure.cause} [${failure.code}]`, ...failureLines(failure)] : [line];
}

export function failureLines({ lines = [], remedy, exitStatus }: EventFailure): string[] {
  return [
    ...lines.map((line) => `  | ${line}`),
    ...(exitStatus === undefined ? [] : [`  exit status ${exitStatus}`]),
    `  ${remedy}`,
  ];
}

function describe(event: StoredEvent): string {
  switch (event.type) {
    case 'sequence.started': {
      const count = event.steps.length + (event.stepsOmitted ?? 0);
      return `the bootstrap ${event.resumed ? 'continues' : 'started'} (${count} steps, ${event.mode}${event.agent ? `, agent ${event.agent}` : ''})`;
    }
    case 'step.started':
      return `${event.step.title}: attempt ${event.attempt}`;
    case 'step.progress':
      return `${event.step.title}: ${event.message}`;
    case 'step.attempt':
      return `${event.step.title}: attempt ${event.attempt} failed after ${formatMs(event.ms)}, next in ${formatMs(event.retryInMs)}`;
    case 'step.ended':
      return `${event.step.title}: ${event.result} after ${formatMs(event.ms)}${event.message ? ` (${event.message})` : ''}`;
    case 'sequence.ended':
      return `the bootstrap ${event.result === 'succeeded' ? 'succeeded' : `ended: ${event.result}`} after ${formatMs(event.ms)}`;
    case 'agent.lost':
      return `the agent was lost (${event.how})`;
    case 'finding':
      return `${event.severity}: ${event.message} [${event.code}]${event.where ? ` at ${event.where}` : ''}`;
    case 'fact':
      return `${event.name}: ${event.value}`;
    case 'heartbeat':
      return 'still alive';
    case 'sentinel.seen':
      return 'the sentinel appeared: kubeadm has succeeded';
    case 'node.observed':
      return `Node ${event.node} is ${event.state.replaceAll('-', ' ')}${event.message ? `: ${event.message}` : ''}`;
    case 'node.reset':
      return 'kubeadm reset was run';
    case 'events.lost':
      return `${event.count} events were lost: ${event.why}`;
    case 'unknown':
      return `an event of type ${event.kind}, which this version does not know`;
  }
}
