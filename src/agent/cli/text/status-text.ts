import { formatMs } from '../../../kit/duration.ts';
import type { Status, StepStatus } from './status-read.ts';

const MARKS: Record<StepStatus['state'], string> = {
  done: '✔',
  failed: '✘',
  running: '▶',
  retrying: '↻',
  waiting: '·',
  skipped: '-',
};

/** The status for people: the verdict first, then each step with its time, then why it failed and what to do. */
export function statusText(status: Status): string {
  const lines = [headline(status), ...status.steps.map(stepLine)];
  for (const step of status.steps) {
    if (step.failure && step.state !== 'done') lines.push(...failureLines(step));
  }
  const { outcome } = status;
  if (outcome?.failure && !status.steps.some(({ failure }) => failure?.code === outcome.failure?.code)) {
    lines.push('', `${outcome.failure.code}: ${outcome.failure.cause}`, `  ${outcome.failure.remedy}`);
  }
  if (outcome?.support) lines.push('', `For support, without secrets: ${outcome.support}`);
  if (status.journal)
    lines.push('', `The journal was not read: ${status.journal}. As root, this tells more.`);
  return `${lines.join('\n')}\n`;
}

function headline({ state, outcome, runningSeconds }: Status): string {
  if (state === 'running') return `at work for ${formatMs((runningSeconds ?? 0) * 1000)}`;
  if (state === 'not started') return 'not started: Slipway has not run on this machine';
  if (state === 'reset') return 'reset: this machine was a node, and has been taken back (slipway reset)';
  if (state === 'interrupted')
    return 'interrupted: the agent is gone without a verdict (start it: systemctl start slipway)';
  if (state === 'unknown')
    return 'no verdict yet; whether Slipway is at work, only root can see (sudo slipway status)';
  if (!outcome) return 'concluded before the last reboot';
  const when = `in ${formatMs(outcome.seconds * 1000)}, at ${outcome.endedAt}`;
  return outcome.result === 'succeeded'
    ? `bootstrapped ${when}`
    : `${outcome.result} (exit status ${outcome.exitStatus}) ${when}`;
}

function stepLine({ state, title, attempts, seconds, message }: StepStatus): string {
  const time = state === 'waiting' ? '' : formatMs(seconds * 1000);
  const more = [
    attempts > 1 ? `${attempts} attempts` : '',
    state === 'running' ? (message ?? '') : '',
  ].filter(Boolean);
  const line = `  ${MARKS[state]} ${title.padEnd(34)} ${time.padStart(8)}${more.length > 0 ? `  ${more.join(', ')}` : ''}`;
  return line.trimEnd();
}

function failureLines({ title, failure }: StepStatus): string[] {
  if (!failure) return [];
  const output = (failure.lines ?? []).map((line) => `    ${line}`);
  return ['', `${title}: ${failure.code}`, `  ${failure.cause}`, ...output, `  ${failure.remedy}`];
}
