import { formatMs } from '../../../kit/duration.ts';
import { pluralize } from '../../../kit/pluralize.ts';
import type { EventFailure, SlipwayEvent } from '../../../protocol/events.ts';

/**
 * One line for people who see no more of the machine than this, such as a serial console: steps by their titles, a verdict
 * in capitals. cli/text/describe-record.ts says the same to somebody who sits at the machine, with ids for the next command.
 *
 * Most important first; undefined for what only a program wants to know.
 */
export function describeEvent(event: SlipwayEvent): string | undefined {
  switch (event.type) {
    case 'sequence.started': {
      const count = event.steps.length + (event.stepsOmitted ?? 0);
      return `the bootstrap ${event.resumed ? 'continues' : 'started'} (${pluralize(count, 'step')})`;
    }
    case 'step.attempt':
      return `${event.step.title}: attempt ${event.attempt} failed (${formatMs(event.ms)}), next in ${formatMs(event.retryInMs)}: ${words(event.failure)}`;
    case 'step.ended':
      return event.failure
        ? `${event.step.title}: FAILED (${formatMs(event.ms)}): ${words(event.failure)}`
        : `${event.step.title}: ${event.result} (${formatMs(event.ms)})`;
    case 'sequence.ended':
      return event.failure
        ? `BOOTSTRAP ${event.result === 'transient' ? 'STOPPED' : 'FAILED'} after ${formatMs(event.ms)}: ${words(event.failure)} ${event.failure.remedy}`
        : event.isNodeUnknown
          ? `user data applied in ${formatMs(event.ms)}; nothing shows whether this machine should become a node`
          : `BOOTSTRAP SUCCEEDED in ${formatMs(event.ms)}`;
    case 'agent.lost':
      return `BOOTSTRAP LOST: ${words(event.failure)} ${event.failure.remedy}`;
    case 'finding':
      return event.severity === 'warning' ? `warning: ${event.message} [${event.code}]` : undefined;
    case 'node.observed':
      return `node ${event.node} is ${event.state.replaceAll('-', ' ')}${event.message ? `: ${event.message}` : ''}`;
    case 'sentinel.seen':
      return 'kubeadm has succeeded (the sentinel exists)';
    case 'node.reset':
      return 'the node was reset';
    case 'events.lost':
      return `${pluralize(event.count, 'event')} of this report ${event.count === 1 ? 'was' : 'were'} lost: ${event.why}`;
    default:
      return undefined;
  }
}

function words({ cause, code }: EventFailure): string {
  return `${cause} [${code}]`;
}
