import { type Finding, HEARTBEAT_MS } from '../../../protocol/journal.ts';
import { type Host, HostError } from '../../host/host.ts';
import type { Journal } from '../journal.ts';
import type { Step } from '../step.ts';

/** What a sequence says while it runs: findings, progress and signs of life. All of it goes to the journal. */
export class SequenceLog {
  readonly findings: Omit<Finding, 'type'>[] = [];
  readonly #host: Host;
  readonly #journal: Journal;
  #atWork: Step | undefined;

  constructor({ host, journal }: { host: Host; journal: Journal }) {
    this.#host = host;
    this.#journal = journal;
  }

  async find(finding: Omit<Finding, 'type'>, sync: 'now' | 'with-next' = 'now'): Promise<void> {
    // A step that is tried again finds the same again.
    const isKnown = ({ code, message }: Omit<Finding, 'type'>): boolean =>
      code === finding.code && message === finding.message;
    if (this.findings.some(isKnown)) return;
    this.findings.push(finding);
    await this.#journal.append({ type: 'finding', ...finding }, sync);
  }

  /** A line that no disk takes is lost, and nothing else: what is at work may come to a good end. */
  async tell(step: Step, message: string, fromOutput = false): Promise<void> {
    const more = fromOutput ? { fromOutput } : {};
    try {
      await this.#journal.append({ type: 'step.progress', step: step.id, message, ...more });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
    }
  }

  /** Says that the agent is alive while `work` is done, as long as `keepBeating` lasts. */
  async beating<T>(step: Step, work: () => Promise<T>): Promise<T> {
    this.#atWork = step;
    try {
      return await work();
    } finally {
      this.#atWork = undefined;
    }
  }

  /** Until `ended`. One clock for all steps: most of them take less time than to set one. */
  async keepBeating(ended: AbortSignal): Promise<void> {
    for (;;) {
      await this.#host.clock.sleep(HEARTBEAT_MS, ended);
      if (ended.aborted) return;
      // The step's own records tell of a journal that cannot be written.
      const step = this.#atWork?.id;
      if (step) await this.#journal.append({ type: 'heartbeat', step }).catch(() => undefined);
    }
  }
}
