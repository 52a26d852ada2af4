import type { SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { readKey } from '../../host/windows-registry.ts';
import { describeEvent } from '../events/describe-event.ts';
import { deliverOneByOne, type Transport } from './transport.ts';

/** Kernel names of serial lines and the consoles of hypervisors. */
const SERIAL = /^(?:ttyS|ttyAMA|ttyLP|ttymxc|hvc|xvc)\d+$/;

/** The serial console: what a person sees who has nothing else. One line a step. */
export class ConsoleTransport implements Transport {
  readonly name = 'console';
  readonly reliable = false;
  /** On Windows a program of its own writes each line. */
  readonly graceMs: number;
  readonly batch = 32;
  readonly #host: Host;
  readonly #device: string;
  /** What the device has not taken yet of a line that was begun. */
  #pending: { seq: number; bytes: Buffer } | undefined;

  constructor(host: Host, device: string) {
    this.#host = host;
    this.#device = device;
    this.graceMs = host.platform === 'windows' ? 20_000 : 2000;
  }

  deliver(events: readonly SlipwayEvent[]): Promise<number> {
    return deliverOneByOne(events, async (event) => {
      const bytes = this.#pending?.seq === event.seq ? this.#pending.bytes : lineOf(event);
      const taken = bytes.length === 0 ? 0 : await this.#host.files.writeDevice(this.#device, bytes);
      const left = bytes.subarray(taken);
      this.#pending = left.length === 0 ? undefined : { seq: event.seq, bytes: left };
      return this.#pending && `${this.#device} is not accepting output`;
    });
  }
}

function lineOf(event: SlipwayEvent): Buffer {
  const line = describeEvent(event);
  return Buffer.from(line === undefined ? '' : `slipway: ${line}\n`);
}

/**
 * The device of the last serial console on the kernel's command line, which is the one that the kernel itself uses; on Windows
 * the serial port that the cloud shows.
 */
export async function serialConsole(host: Host): Promise<string | undefined> {
  if (host.platform === 'windows') return serialPort(host);
  const line = (await host.ownFiles.readIfPresent('/proc/cmdline'))?.toString('utf8') ?? '';
  const names = [...line.matchAll(/(?:^|\s)console=([A-Za-z0-9]+)/g)].map(([, name = '']) => name);
  const name = names.findLast((candidate) => SERIAL.test(candidate));
  if (name === undefined) return undefined;
  const device = `/dev/${name}`;
  return (await host.files.stat(device)) ? device : undefined;
}

/** What Windows calls its serial ports; the key is made at each boot. */
const PORTS = 'HKLM\\HARDWARE\\DEVICEMAP\\SERIALCOMM';

/** Azure shows COM2 to people, everybody else the first one. */
async function serialPort(host: Host): Promise<string | undefined> {
  const ports = [...(await readKey(host, PORTS)).values()].filter((name) => /^COM\d+$/.test(name)).sort();
  const isAzure = (await host.files.stat('C:\\WindowsAzure')) !== undefined;
  const port = (isAzure && ports.find((name) => name === 'COM2')) || ports[0];
  return port === undefined ? undefined : `//./${port}`;
}
