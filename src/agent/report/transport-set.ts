import type { MachineIdentity, SlipwayEvent } from '../../protocol/events.ts';
import { Sensitive } from '../../secrets/sensitive.ts';
import type { Host } from '../host/host.ts';
import type { Settings, Switch } from '../settings/settings.ts';
import type { Log } from './events/log.ts';
import { Pump } from './pump.ts';
import type { Spool } from './spool/spool.ts';
import { ConsoleTransport, serialConsole } from './transports/console.ts';
import { ControllerTransport } from './transports/controller.ts';
import { EventLogTransport, hasEventLog } from './transports/event-log.ts';
import { HypervKvpTransport } from './transports/hyperv-kvp.ts';
import { hasJournald, JournaldTransport } from './transports/journald.ts';
import { hasPool } from './transports/kvp-pool.ts';
import { OtlpTransport } from './transports/otlp.ts';
import type { Transport } from './transports/transport.ts';
import { isVmware, VmwareTransport } from './transports/vmware.ts';
import { WebhookTransport } from './transports/webhook.ts';

interface TransportSetOptions {
  host: Host;
  spool: Spool;
  log: Log;
  machine: () => MachineIdentity;
  /** Version of the reporter. */
  version: string;
  /** Told when a receiver will never take an event. */
  lost(event: SlipwayEvent, why: string): void;
  /** Resolves when no other process speaks to the controller as this machine. */
  alone?: Promise<unknown>;
}

interface OpenTransport {
  pump: Pump;
  /** Fingerprint of the settings that it was made from. */
  fingerprint: string;
}

/** All ways out of the machine that the settings ask for, each with a pump of its own. */
export class TransportSet {
  readonly #o: TransportSetOptions;
  readonly #open = new Map<string, OpenTransport>();

  constructor(options: TransportSetOptions) {
    this.#o = options;
  }

  /** Opens what the settings ask for now, closes what they no longer do; what did not change goes on. */
  async apply(settings: Settings): Promise<void> {
    const wanted = await this.#wanted(settings);
    for (const [name, outlet] of this.#open) {
      if (wanted.get(name)?.fingerprint === outlet.fingerprint) continue;
      this.#open.delete(name);
      await outlet.pump.close();
    }
    const { host, spool, log, machine } = this.#o;
    for (const [name, { make, fingerprint }] of wanted) {
      if (this.#open.has(name)) continue;
      const pump = await Pump.open({ host, spool, log, transport: make(), instance: machine().instance });
      this.#open.set(name, { pump, fingerprint });
      pump.start();
    }
  }

  get names(): string[] {
    return [...this.#open.keys()];
  }

  /** Up to which number every reliable receiver has the events; undefined where there is no such receiver. */
  get acknowledged(): number | undefined {
    const reliable = [...this.#open.values()].filter(({ pump }) => pump.transport.reliable);
    if (reliable.length === 0) return undefined;
    return Math.min(this.#o.spool.lastSeq, ...reliable.map(({ pump }) => pump.delivered));
  }

  /** Has everybody everything? @param waitedMs how long that has been waited for; some are given up after a while */
  isDone(waitedMs: number): boolean {
    return [...this.#open.values()].every(
      ({ pump }) => pump.isDone || waitedMs > (pump.transport.graceMs ?? Number.POSITIVE_INFINITY),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ pump }) => pump.close()));
    this.#open.clear();
  }

  async #wanted(settings: Settings): Promise<Map<string, { make: () => Transport; fingerprint: string }>> {
    const { host, log, machine, version, lost, alone } = this.#o;
    const wanted = new Map<string, { make: () => Transport; fingerprint: string }>();
    const want = (name: string, of: unknown, make: () => Transport): void => {
      wanted.set(name, { make, fingerprint: fingerprintOf(of) });
    };
    const { controller, webhook, otlp } = settings;
    const device = await this.#console(settings.console);
    if (device !== undefined) want('console', device, () => new ConsoleTransport(host, device));
    if (host.platform !== 'windows' && (await isOn(settings.journal, () => hasJournald(host))))
      want('journald', '', () => new JournaldTransport(host));
    // The same setting: it is the system's own log.
    if (settings.journal !== 'off' && (await hasEventLog(host)))
      want('eventlog', '', () => new EventLogTransport(host));
    if (await isOn(settings.hyperv, () => hasPool(host)))
      want('hyperv', '', () => new HypervKvpTransport(host));
    if (await isOn(settings.vmware, () => isVmware(host)))
      want('vmware', '', () => new VmwareTransport(host));
    if (controller) {
      const told = { host, settings: controller, machine, reporter: version, log, lost };
      const options = { ...told, ...(alone ? { alone } : {}) };
      want('controller', controller, () => new ControllerTransport(options));
    }
    if (webhook) want('webhook', webhook, () => new WebhookTransport(host, webhook, log));
    if (otlp) want('otlp', otlp, () => new OtlpTransport(host, otlp, version, log));
    return wanted;
  }

  /** With `auto`, slipway.service writes to the console by itself; nothing is said twice. */
  async #console(setting: Settings['console']): Promise<string | undefined> {
    if (setting === 'off') return undefined;
    if (setting.startsWith('/')) return setting;
    const { host } = this.#o;
    const wants = '/etc/systemd/system/multi-user.target.wants/slipway.service';
    if (setting === 'auto' && (await host.files.stat(wants))) return undefined;
    return serialConsole(host);
  }
}

async function isOn(setting: Switch, fits: () => Promise<boolean>): Promise<boolean> {
  return setting === 'on' || (setting === 'auto' && (await fits()));
}

/** Changes with every setting, also with secret ones; it stays in memory. */
function fingerprintOf(settings: unknown): string {
  return JSON.stringify(reveal(settings));
}

function reveal(value: unknown): unknown {
  if (value instanceof Sensitive) return value.reveal();
  if (Array.isArray(value)) return value.map(reveal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, reveal(item)]));
}
