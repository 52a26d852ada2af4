import { formatMs } from '../../../kit/duration.ts';
import type { Status } from './status-read.ts';

/** One line that says where things stand: rewritten on a terminal, written when it changes elsewhere. */
export function liveStatus(stream: NodeJS.WriteStream): { show(status: Status): void; end(): void } {
  let last = '';
  return {
    show(status) {
      const step = status.steps.find(({ state }) => state === 'running' || state === 'retrying');
      const what = step ? `${step.title}${step.message ? `: ${step.message}` : ''}` : 'waiting for the agent';
      if (stream.isTTY) stream.write(`\r\x1b[K${what}${step ? `  ${formatMs(step.seconds * 1000)}` : ''}`);
      else if (what !== last) stream.write(`${what}\n`);
      last = what;
    },
    end() {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}
