import { CODES } from '../../../protocol/codes.ts';
import type { EventBody, EventFailure, EventStep } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { classify } from '../../kubeadm/classify.ts';
import { asEventFailure } from '../from-journal.ts';
import { type CloudInitView, readCloudInit } from './cloud-init.ts';
import { type KubeadmProcess, KubeadmProcesses } from './kubeadm-process.ts';

/** Where cloud-init sends what its commands print. */
const OUTPUT = '/var/log/cloud-init-output.log';
const OUTPUT_BYTES = 512 * 1024;
/** Where an attempt of kubeadm begins in that. */
const BEGINS = /^.*\[(?:init\] Using Kubernetes version|preflight\] Running pre-flight checks).*$/gm;

const CLOUD_INIT: EventStep = { id: 'cloud-init', title: 'cloud-init' };
const KUBEADM: EventStep = { id: 'kubeadm', title: 'kubeadm' };

/** Events that are told together, once. */
export interface Observation {
  key: string;
  bodies: EventBody[];
}

/**
 * Watches a boot in which cloud-init and kubeadm do the work and no Slipway bootstrap runs. Its sequence has the steps
 * `cloud-init` and `kubeadm`; the sentinel is its success, cloud-init's end without one its failure.
 */
export class Observer {
  readonly #host: Host;
  readonly #boot: string;
  readonly #sequence: string;
  readonly #processes: KubeadmProcesses;
  readonly #startedAt: number;
  /** Slipway is set up to do the work: it tells by itself, unless it is never called. */
  readonly #expectsSlipway: boolean;
  #stage: string | undefined;
  #kubeadm: KubeadmProcess | undefined;
  #attempts = 0;
  #began = false;
  #isUnderWay = false;

  constructor(host: Host, boot: string, expectsSlipway: boolean) {
    this.#host = host;
    this.#boot = boot;
    this.#sequence = `observed-${boot}`;
    this.#processes = new KubeadmProcesses(host);
    this.#startedAt = host.clock.monotonic();
    this.#expectsSlipway = expectsSlipway;
  }

  /** cloud-init has begun and not ended: what it will come to is open, however long that takes. */
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** What there is to tell since the last look. @param sentinel Cluster API's sentinel is there */
  async look(sentinel: boolean): Promise<Observation[]> {
    const view = await readCloudInit(this.#host);
    this.#isUnderWay = view !== undefined && !view.finished;
    if (this.#expectsSlipway) {
      return view?.finished && !sentinel ? [...this.#begin(), ...(await this.#failed(view))] : [];
    }
    if (!view && !sentinel) return [];
    const told = this.#begin();
    if (view?.stage !== undefined && view.stage !== this.#stage) {
      this.#stage = view.stage;
      told.push(this.#progress(CLOUD_INIT, `stage ${view.stage}`, `stage:${view.stage}`));
    }
    told.push(...(await this.#lookAtKubeadm()));
    if (sentinel) told.push(...this.#succeeded());
    else if (view?.finished) told.push(...(await this.#failed(view)));
    return told;
  }

  #begin(): Observation[] {
    if (this.#began) return [];
    this.#began = true;
    const sequence = this.#sequence;
    return [
      this.#once('begin', [
        {
          type: 'sequence.started',
          sequence,
          mode: 'observed',
          steps: [CLOUD_INIT, KUBEADM],
          resumed: false,
        },
        { type: 'step.started', sequence, step: CLOUD_INIT, attempt: 1 },
      ]),
    ];
  }

  async #lookAtKubeadm(): Promise<Observation[]> {
    const [found] = await this.#processes.look();
    if (!found || found.pid === this.#kubeadm?.pid) return [];
    this.#kubeadm = found;
    this.#attempts += 1;
    const start: EventBody = {
      type: 'step.started',
      sequence: this.#sequence,
      step: KUBEADM,
      attempt: this.#attempts,
    };
    return [
      this.#once(`kubeadm:${found.pid}`, [start]),
      this.#progress(KUBEADM, `kubeadm ${found.verb}`, `kubeadm:${found.pid}:verb`),
    ];
  }

  #succeeded(): Observation[] {
    const ms = this.#elapsed();
    const sequence = this.#sequence;
    const attempt = Math.max(1, this.#attempts);
    return [
      this.#once('end', [
        { type: 'step.ended', sequence, step: KUBEADM, attempt, result: 'done', ms },
        { type: 'sequence.ended', sequence, mode: 'observed', result: 'succeeded', exitStatus: 0, ms },
      ]),
    ];
  }

  async #failed({ errors }: CloudInitView): Promise<Observation[]> {
    const ms = this.#elapsed();
    const sequence = this.#sequence;
    const kubeadm = await this.#kubeadmFailure();
    const failure = kubeadm ?? cloudInitFailure(errors);
    const step = kubeadm ? KUBEADM : CLOUD_INIT;
    const ended: EventBody[] = [
      { type: 'step.ended', sequence, step, attempt: 1, result: 'failed', ms, failure },
    ];
    if (kubeadm) {
      const result = errors.length > 0 ? ('failed' as const) : ('done' as const);
      const more = errors.length > 0 ? { failure: cloudInitFailure(errors) } : {};
      ended.unshift({ type: 'step.ended', sequence, step: CLOUD_INIT, attempt: 1, result, ms, ...more });
    }
    return [
      this.#once('end', [
        ...ended,
        {
          type: 'sequence.ended',
          sequence,
          mode: 'observed',
          result: 'failed',
          exitStatus: 1,
          ms,
          step,
          failure,
        },
      ]),
    ];
  }

  /** What kubeadm said at last, if it ran at all. */
  async #kubeadmFailure(): Promise<EventFailure | undefined> {
    const size = (await this.#host.files.stat(OUTPUT))?.size ?? 0;
    const bytes = size
      ? await this.#host.files.readFrom(OUTPUT, Math.max(0, size - OUTPUT_BYTES), OUTPUT_BYTES)
      : Buffer.alloc(0);
    const output = bytes.toString('utf8');
    const begin = [...output.matchAll(BEGINS)].at(-1);
    if (!begin && !this.#kubeadm) return undefined;
    const stderr = output.slice(begin?.index ?? 0);
    const verb = this.#kubeadm?.verb ?? (/^.*\[init\]/m.test(begin?.[0] ?? '') ? 'init' : 'join');
    const found = classify({ verb, stdout: '', stderr, exitStatus: 1 });
    return asEventFailure({ ...found, lines: found.lines?.slice(-3) ?? [] });
  }

  #progress(step: EventStep, message: string, key: string): Observation {
    return this.#once(key, [{ type: 'step.progress', sequence: this.#sequence, step, message }]);
  }

  #once(what: string, bodies: EventBody[]): Observation {
    return { key: `observed:${this.#boot}:${what}`, bodies };
  }

  #elapsed(): number {
    return Math.max(0, Math.round(this.#host.clock.monotonic() - this.#startedAt));
  }
}

function cloudInitFailure(errors: readonly string[]): EventFailure {
  const code = errors.length > 0 ? 'CloudInitFailed' : 'BootstrapNotRun';
  const { cause, remedy } = CODES[code];
  return { code, cause, remedy, ...(errors.length > 0 ? { lines: errors.slice(-3) } : {}) };
}
