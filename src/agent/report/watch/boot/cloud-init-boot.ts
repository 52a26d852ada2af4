import { codes } from '../../../../protocol/codes/codes.ts';
import type { EventBody, EventFailure, EventStep } from '../../../../protocol/events.ts';
import { SENTINEL } from '../../../document/paths.ts';
import type { Host } from '../../../host/host.ts';
import type { CloudInitState } from './cloud-init.ts';
import { kubeadmFailure } from './kubeadm-failure.ts';
import { KUBEADM, type Observation, ObservedSequence } from './observed-sequence.ts';

/** Where cloud-init sends what its commands print. */
const OUTPUT = '/var/log/cloud-init-output.log';
const OUTPUT_BYTES = 512 * 1024;

const STEP: EventStep = { id: 'cloud-init', title: 'cloud-init' };

/**
 * Watches a boot in which cloud-init runs kubeadm. Its sequence has the steps `cloud-init` and `kubeadm`; the sentinel is
 * its success, cloud-init's end without one its failure.
 */
export class CloudInitBoot {
  readonly #host: Host;
  readonly #sequence: ObservedSequence;
  readonly #startedAt: number;
  #stage: string | undefined;
  #isUnderWay = false;
  #hasFailed = false;

  constructor(host: Host, boot: string, expectsSlipway: boolean) {
    this.#host = host;
    this.#sequence = new ObservedSequence(host, boot, STEP, expectsSlipway);
    this.#startedAt = host.clock.monotonic();
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** cloud-init has ended, and the machine is no node. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** @param view undefined where cloud-init is not there or has not begun */
  async look(view: CloudInitState | undefined, sentinel: boolean): Promise<Observation[]> {
    this.#isUnderWay = view !== undefined && !view.finished;
    const ranBefore = this.#sequence.isRunning;
    if (!view && !sentinel) return [];
    const begun = [this.#sequence.begin(false), this.#sequence.started(STEP, 1)];
    const told = [this.#sequence.once('begin', begun)];
    if (view?.stage !== undefined && view.stage !== this.#stage) {
      this.#stage = view.stage;
      told.push(this.#sequence.progress(STEP, `stage ${view.stage}`, `stage:${view.stage}`));
    }
    told.push(...(await this.#sequence.lookAtKubeadm()));
    // A command in the background outlives cloud-init, and what it does after kubeadm takes its moment too.
    const goesOn = this.#sequence.isRunning || ranBefore;
    this.#isUnderWay ||= goesOn && !sentinel;
    // The sentinel comes before cloud-init's end. So look again now, after that end was read.
    const isDone = sentinel || (await this.#host.files.stat(SENTINEL)) !== undefined;
    if (isDone) told.push(this.#sequence.succeeded(this.#elapsed()));
    else if (view?.finished && !goesOn) told.push(await this.#failed(view));
    return told;
  }

  async #failed({ errors }: CloudInitState): Promise<Observation> {
    this.#hasFailed = true;
    const ms = this.#elapsed();
    const kubeadm = kubeadmFailure(await this.#output(), { seen: this.#sequence.verb });
    const failure = kubeadm ?? cloudInitFailure(errors);
    const step = kubeadm ? KUBEADM : STEP;
    const head = { type: 'step.ended', sequence: this.#sequence.id, attempt: 1, ms } as const;
    const ended: EventBody[] = [{ ...head, step, result: 'failed', failure }];
    if (kubeadm) {
      const more = errors.length > 0 ? { failure: cloudInitFailure(errors) } : {};
      ended.unshift({ ...head, step: STEP, result: errors.length > 0 ? 'failed' : 'done', ...more });
    }
    return this.#sequence.failed('end', ended, step, failure, ms);
  }

  async #output(): Promise<string> {
    const { files } = this.#host;
    const size = (await files.stat(OUTPUT))?.size ?? 0;
    if (size === 0) return '';
    return (await files.readFrom(OUTPUT, Math.max(0, size - OUTPUT_BYTES), OUTPUT_BYTES)).toString('utf8');
  }

  #elapsed(): number {
    return Math.max(0, Math.round(this.#host.clock.monotonic() - this.#startedAt));
  }
}

function cloudInitFailure(errors: readonly string[]): EventFailure {
  const code = errors.length > 0 ? 'CloudInitFailed' : 'BootstrapNotRun';
  const { meaning: cause, fix: remedy } = codes()[code];
  return { code, cause, remedy, ...(errors.length > 0 ? { lines: errors.slice(-3) } : {}) };
}
