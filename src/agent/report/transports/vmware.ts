import type { SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { vmwareTool } from '../../host/vmware-tool.ts';
import { BIOS, readKey } from '../../host/windows-registry.ts';
import { shorten } from '../events/bounded.ts';
import { describeEvent } from '../events/describe-event.ts';
import { DeliveryError, type Transport } from './transport.ts';

/** vm-operator makes a condition of the virtual machine of it: `bool,reason,message`. */
const CONDITION_KEY = 'guestinfo.vmservice.bootstrap.condition';
/** Where the bootstrap stands, as JSON. */
const STATUS_KEY = 'guestinfo.slipway.status';

const VENDOR = '/sys/class/dmi/id/sys_vendor';
const TIMEOUT_MS = 5000;
const MAX_MESSAGE = 1000;

/** VMware's guest information: variables of the virtual machine that vSphere shows, without any network in the guest. */
export class VmwareTransport implements Transport {
  readonly name = 'vmware';
  readonly reliable = false;
  readonly graceMs = 5000;
  readonly batch = 256;
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Variables are overwritten, so only the last state of each counts. */
  async deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    const condition = events.map(conditionOf).findLast((value) => value !== undefined);
    const status = events.map(statusOf).findLast((value) => value !== undefined);
    if (condition !== undefined) await this.#set(CONDITION_KEY, condition, signal);
    if (status !== undefined) await this.#set(STATUS_KEY, status, signal);
    return events.at(-1)?.seq ?? 0;
  }

  async #set(key: string, value: string, signal: AbortSignal): Promise<void> {
    const command = `info-set ${key} ${value}`;
    const tool = await vmwareTool(this.#host);
    if (tool === undefined) throw new DeliveryError('neither vmware-rpctool nor vmtoolsd is installed');
    const call = { argv: [...tool, command] as typeof tool, timeoutMs: TIMEOUT_MS, signal };
    const answer = await this.#host.processes.run(call);
    if (answer.exitStatus !== 0) {
      const why = (answer.stderr || answer.stdout).trim() || `status ${answer.exitStatus}`;
      throw new DeliveryError(`${tool[0]}: ${why}`);
    }
  }
}

/** Is this a virtual machine of VMware that has the tool? */
export async function isVmware(host: Host): Promise<boolean> {
  const vendor =
    host.platform === 'windows'
      ? ((await readKey(host, BIOS)).get('systemmanufacturer') ?? '')
      : ((await host.files.readIfPresent(VENDOR))?.toString('utf8') ?? '');
  return vendor.includes('VMware') && (await vmwareTool(host)) !== undefined;
}

/** Only for a verdict: during the bootstrap vm-operator says by itself that nothing is known. */
function conditionOf(event: SlipwayEvent): string | undefined {
  if (event.type !== 'sequence.ended' && event.type !== 'agent.lost') return undefined;
  const { failure } = event;
  // Nothing is said where nothing is known.
  if (event.type === 'sequence.ended' && event.isNodeUnknown) return undefined;
  if (!failure) return 'true,Bootstrapped,The machine is bootstrapped.';
  // The reader splits at the first two commas; a code has none.
  return `false,${failure.code},${oneLine(`${failure.cause} ${failure.remedy}`)}`;
}

function statusOf(event: SlipwayEvent): string | undefined {
  const message = describeEvent(event);
  if (message === undefined && event.type !== 'step.started') return undefined;
  return JSON.stringify({
    seq: event.seq,
    time: event.time,
    type: event.type,
    ...('step' in event && event.step ? { step: event.step.id } : {}),
    ...('failure' in event && event.failure ? { code: event.failure.code } : {}),
    ...(message === undefined ? {} : { message: oneLine(message) }),
  });
}

function oneLine(text: string): string {
  return shorten(text.replace(/\s+/g, ' '), MAX_MESSAGE);
}
