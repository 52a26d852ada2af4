import type { Host } from '../host/host.ts';
import { mentionsKubeadmBootstrap } from '../kubeadm/config/invocation.ts';
import type { Callers } from './find-callers.ts';
import { findProcess, KubeadmProcessFinder } from './kubeadm-process.ts';
import { type UnitState, unitStates } from './systemd-unit.ts';

/** Who is at work on making this machine a node, at one moment. */
export interface CallerActivity {
  /** In words; undefined where nobody is. */
  busy: string | undefined;
  /** kubeadm itself is running: what it has made is not whole yet. */
  isKubeadm: boolean;
  /** The units that lead to a call of kubeadm. */
  units: readonly UnitState[];
}

/** Watches the units, scripts and programs that call kubeadm on their own. */
export class CallerWatch {
  readonly #host: Host;
  readonly #callers: Pick<Callers, 'units' | 'scripts' | 'isScheduled'>;
  readonly #processes: KubeadmProcessFinder;

  /** @param callers whatever is known of them; none where a program of the image may call kubeadm */
  constructor(host: Host, callers: Pick<Callers, 'units' | 'scripts' | 'isScheduled'> = NOBODY) {
    this.#host = host;
    this.#callers = callers;
    this.#processes = new KubeadmProcessFinder(host);
  }

  /** @param printed what the commands printed: `systemd-run` says there which unit it has made */
  async look(printed: string): Promise<CallerActivity> {
    const answer = await this.#units([...this.#callers.units, ...announced(printed)]);
    const units = answer ?? [];
    const [kubeadm] = await this.#processes.look();
    if (kubeadm !== undefined) return { busy: `kubeadm ${kubeadm.verb} is running`, isKubeadm: true, units };
    const isKubeadm = false;
    if (answer === undefined) return { busy: 'systemd does not answer', isKubeadm, units };
    for (const unit of units) {
      const busy = await this.#busyUnit(unit);
      if (busy !== undefined) return { busy, isKubeadm, units };
    }
    const { scripts, isScheduled } = this.#callers;
    const running = await findProcess(this.#host, scripts, mentionsKubeadmBootstrap);
    if (running !== undefined)
      return { busy: `a script that calls kubeadm is running (${running[0]})`, isKubeadm, units };
    return { busy: isScheduled ? 'cron or at is to call kubeadm' : undefined, isKubeadm, units };
  }

  /** Undefined where systemd runs this machine and gives no answer now, as on a host that is busy with its boot. */
  async #units(names: readonly string[]): Promise<UnitState[] | undefined> {
    const asked = [...new Set(names)].map((name) => name.replace('@.', '@*.'));
    if (asked.length === 0) return [];
    const states = await unitStates(this.#host, asked);
    if (states === undefined && (await this.#host.files.stat('/run/systemd/system')) !== undefined)
      return undefined;
    return (states ?? []).filter(({ name }) => name !== '');
  }

  async #busyUnit({ name, active, sub, hasJob, triggeredBy }: UnitState): Promise<string | undefined> {
    if (sub === 'auto-restart') return `${name} has failed, and systemd starts it again`;
    const isOver = active === 'inactive' || active === 'failed' || sub === 'exited';
    if (!isOver || hasJob) return `${name} is ${isOver ? 'about to start' : active}`;
    if (triggeredBy.length === 0) return undefined;
    const triggers = (await unitStates(this.#host, triggeredBy)) ?? [];
    const waiting = triggers.find((trigger) => trigger.active === 'active' && trigger.sub === 'waiting');
    return waiting && `${waiting.name} is to start ${name}`;
  }
}

const NOBODY = { units: [], scripts: [], isScheduled: false };

/** The newest few: anything may print such a line. */
const announced = (printed: string): string[] =>
  [...printed.matchAll(/^Running as unit:? ([\w:.@][\w:.@\\-]{0,199}\.service)\b/gm)]
    .map(([, name = '']) => name)
    .slice(-8);
