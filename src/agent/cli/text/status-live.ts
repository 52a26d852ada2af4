import { formatMs } from '../../../kit/duration.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { LiveLine, type Terminal } from './live-line.ts';
import type { Status, StepStatus } from './read-status.ts';

/** One line that says where things stand: rewritten on a terminal, written when it changes elsewhere. */
export function liveStatus(stream: Terminal & { isTTY?: boolean }): {
  show(status: Status): void;
  end(): void;
} {
  const line = stream.isTTY ? new LiveLine(stream) : undefined;
  let last = '';
  return {
    show(status) {
      const step = status.steps.find(({ state }) => state === 'running' || state === 'retrying');
      // Between two steps, and before the verdict is written, nobody is waited for.
      if (!step && status.state === 'running' && status.steps.length > 0) return;
      const what = step ? describe(step) : 'waiting for the agent';
      if (line) line.show(step ? `${formatMs(step.seconds * 1000).padStart(7)}  ${what}` : what);
      else if (what !== last) stream.write(`${visible(what)}\n`);
      last = what;
    },
    end: () => line?.end(),
  };
}

/** What the step does now, and why it does it again: that first, because a terminal cuts the end. */
function describe({ title, state, attempts, message, lastFailure }: StepStatus): string {
  if (lastFailure === undefined) return message ? `${title}: ${message}` : title;
  if (state === 'retrying')
    return `${title}: attempt ${lastFailure.attempt} failed: ${lastFailure.code}; ${message ?? 'tried again soon'}`;
  return `${title} after ${lastFailure.code}, attempt ${attempts}${message ? `: ${message}` : ''}`;
}
