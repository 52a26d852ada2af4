import { formatMs } from '../../kit/duration.ts';
import { UsageError } from '../../kit/errors.ts';
import { visible, visibleTexts } from '../../kit/terminal/visible.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { createHost } from '../create-host.ts';
import { JOURNAL } from '../document/paths.ts';
import { parseJournal } from '../engine/parse-journal.ts';
import { type Host, HostError } from '../host/host.ts';
import { timelineOf } from '../timeline/spans.ts';
import { waterfall } from '../timeline/waterfall.ts';
import {
  durationOption,
  formatOption,
  requireRootDirectory,
  rootOption,
  withUsageErrors,
} from './options/options.ts';
import { readReporting, reportingText } from './reporting/reporting-status.ts';
import { columnsOf, LiveLine, type Terminal } from './text/live-line.ts';
import { readStatus, type Status, type StepStatus } from './text/read-status.ts';
import { finishedStep, statusText, terminalStyle } from './text/status-text.ts';

interface StatusFlags {
  wait?: boolean;
  timeout?: string;
  timeline?: boolean;
  root: string;
  output: string;
}

const POLL_MS = 200;
/** systemd starts a killed agent again after five seconds; one that stays away longer is not coming back. */
const DEAD_AGENT_MS = 15_000;
const STILL_OPEN = 75;

/** `slipway status`: 0 when it could tell; with --wait the verdict's own exit status. */
export function statusCommand(flags: StatusFlags): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOption(flags.output);
    if (flags.timeout !== undefined && !flags.wait)
      throw new UsageError('--timeout says how long to wait, so it needs --wait');
    if (flags.timeline && flags.wait) throw new UsageError('--timeline shows what was; it does not wait');
    const host = createHost({ root: rootOption(flags.root) });
    await requireRootDirectory(host);
    if (flags.timeline) return showTimeline(host, format);
    const limitMs =
      flags.timeout === undefined
        ? Number.POSITIVE_INFINITY
        : durationOption('timeout', flags.timeout) * 1000;
    const status = visibleTexts(flags.wait ? await waitForVerdict(host, limitMs) : await readStatus(host));
    const reporting = visibleTexts(await readReporting(host));
    const style = terminalStyle(process.stdout);
    process.stdout.write(
      format === 'json'
        ? `${JSON.stringify({ ...status, ...(reporting ? { reporting } : {}) }, undefined, 2)}\n`
        : statusText(status, style) + (reporting ? `\n${reportingText(reporting, style.columns)}` : ''),
    );
    if (!flags.wait) return 0;
    return status.outcome?.exitStatus ?? STILL_OPEN;
  });
}

async function showTimeline(host: Host, format: 'text' | 'json'): Promise<number> {
  const { records, badBytes } = parseJournal(await journalBytes(host));
  const { state } = await readStatus(host);
  const boots = visibleTexts(timelineOf(records, state === 'running' ? host.clock.monotonic() : undefined));
  const nothing =
    badBytes > 0
      ? `no timeline: ${badBytes} bytes of the journal cannot be read, and the rest holds no bootstrap\n`
      : 'no timeline: Slipway has not begun a bootstrap on this machine\n';
  const text = () => (boots.length > 0 ? waterfall(boots, terminalStyle(process.stdout).columns) : nothing);
  process.stdout.write(format === 'json' ? `${JSON.stringify(boots, undefined, 2)}\n` : text());
  return 0;
}

/** @throws UsageError for whoever may not read it */
async function journalBytes(host: Host): Promise<Buffer> {
  try {
    return (await host.files.readIfPresent(JOURNAL)) ?? Buffer.alloc(0);
  } catch (error) {
    if (!(error instanceof HostError) || error.errno !== 'EACCES') throw error;
    throw new UsageError('only root may read the journal (sudo slipway status --timeline)');
  }
}

/** Follows until there is a verdict, the time is over, or the agent is gone for good. */
async function waitForVerdict(host: Host, limitMs: number): Promise<Status> {
  const started = host.clock.monotonic();
  const live = liveStatus(process.stderr);
  let aliveAt = started;
  try {
    for (;;) {
      const status = await readStatus(host);
      const now = host.clock.monotonic();
      if (status.state !== 'interrupted') aliveAt = now;
      const over =
        isConcluded(status.outcome, status) || now - started >= limitMs || now - aliveAt > DEAD_AGENT_MS;
      if (over) return status;
      live.show(status);
      await host.clock.sleep(Math.min(POLL_MS, limitMs - (now - started)));
    }
  } finally {
    live.end();
  }
}

/** An agent that was told to stop left a verdict for now; the next one replaces it. */
function isConcluded(outcome: Outcome | undefined, { state }: Status): boolean {
  return outcome !== undefined && state !== 'running';
}

/**
 * Each step that is over, once, and a text that says where things stand: rewritten on a terminal, written when it changes
 * elsewhere.
 */
export function liveStatus(stream: Terminal & { isTTY?: boolean }): {
  show(status: Status): void;
  end(): void;
} {
  const line = stream.isTTY ? new LiveLine(stream) : undefined;
  const shown = new Set<string>();
  let last = '';
  const tellFinished = (step: StepStatus) => {
    if (shown.has(step.id) || (step.state !== 'done' && step.state !== 'failed')) return;
    shown.add(step.id);
    if (line) line.print(finishedStep(step, columnsOf(stream)));
    else stream.write(`${finishedStep(step)}\n`);
  };
  return {
    show(status) {
      for (const step of status.steps) tellFinished(step);
      const step = status.steps.find(({ state }) => state === 'running' || state === 'retrying');
      // Between two steps, and before the verdict is written, nobody is waited for.
      if (!step && status.state === 'running' && status.steps.length > 0) return;
      const what = step ? describe(step) : 'waiting for the agent';
      if (line) line.show(step ? `${formatMs(step.seconds * 1000)}  ${what}` : what);
      else if (what !== last) stream.write(`${visible(what)}\n`);
      last = what;
    },
    end: () => line?.end(),
  };
}

/** What the step does now, and why it does it again: that first, because the end of a very long text is cut. */
function describe({ title, state, attempts, message, lastFailure }: StepStatus): string {
  if (lastFailure === undefined) return message ? `${title}: ${message}` : title;
  if (state === 'retrying')
    return `${title}: attempt ${lastFailure.attempt} failed: ${lastFailure.code}; ${message ?? 'tried again soon'}`;
  return `${title} after ${lastFailure.code}, attempt ${attempts}${message ? `: ${message}` : ''}`;
}
