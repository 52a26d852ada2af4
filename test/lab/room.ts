import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Amounts, freeAmounts, NEEDS, shortages, sum, usedInotifyInstances } from './host/capacity.ts';
import { groupPids } from './host/cgroups.ts';
import { raiseInotifyLimits, restoreInotifyLimits } from './host/inotify-limits.ts';
import { labGroup, labIds, labsDir, machineNames, whileNobodyOpens } from './lab-record.ts';
import { type MachineRecord, machineDir, machineState, readMachineRecord } from './machine/machine-record.ts';
import { LabError } from './process/command.ts';

const PATIENCE_MS = 600_000;
const NOTE = () => join(labsDir(), '.inotify-limits.json');

/** What is asked of the host. */
export interface Surroundings {
  free(): Amounts;
  /** @returns false where the limits cannot be raised */
  raiseInotifyLimits(): Promise<boolean>;
  /** Milliseconds, of whatever clock. */
  now(): number;
  pause(ms: number): Promise<void>;
}

const HOST: Surroundings = {
  free: freeAmounts,
  raiseInotifyLimits: () => whileNobodyOpens(() => raiseInotifyLimits(NOTE())),
  now: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Make sure that the host has what a machine takes, before it is switched on: limits of inotify are raised where root
 * may, and while other machines run it waits for some of them to go, with a word about it.
 * @throws LabError that says of what there is too little
 */
export async function makeRoomFor(
  record: MachineRecord,
  say: (line: string) => void,
  host: Surroundings = HOST,
): Promise<void> {
  let raised: boolean | undefined;
  const lacks = async (): Promise<{ lacking: string[]; others: number }> => {
    const before = await machinesBefore(record);
    const needed = sum([NEEDS[record.role], ...(await Promise.all(before.map(stillToTake)))]);
    return { lacking: shortages(needed, host.free()), others: before.length };
  };
  const deadline = host.now() + PATIENCE_MS;
  for (let said = false; ; said = true) {
    let { lacking, others } = await lacks();
    if (lacking.some((line) => line.includes('inotify')) && raised === undefined) {
      raised = await host.raiseInotifyLimits();
      ({ lacking, others } = await lacks());
    }
    if (lacking.length === 0) return;
    const words = lacking.map((line) => `\n  - ${line}`).join('');
    if (others === 0 || host.now() > deadline)
      throw new LabError(`this host has no room for the machine "${record.name}":${words}`);
    if (!said) say(`waiting until other machines are gone, to have room for "${record.name}":${words}`);
    await host.pause(1000);
  }
}

/** When the last lab is gone, the host's limits are what they were. */
export async function leaveHost(): Promise<void> {
  await whileNobodyOpens(async () => {
    if ((await labIds()).length === 0) await restoreInotifyLimits(NOTE());
  });
}

/** All machines of this cache that were entered in the books before this one. */
async function machinesBefore(record: MachineRecord): Promise<MachineRecord[]> {
  const mine = await enteredAt(record);
  const found: MachineRecord[] = [];
  for (const lab of await labIds()) {
    for (const name of await machineNames(lab)) {
      if (lab === record.lab && name === record.name) continue;
      // It may be taken away, or not be written yet, at this moment.
      const other = await readMachineRecord(lab, name).catch(() => undefined);
      const entered = other && (await enteredAt(other).catch(() => undefined));
      if (other && entered !== undefined && entered <= mine) found.push(other);
    }
  }
  return found;
}

async function enteredAt({ lab, name }: MachineRecord): Promise<bigint> {
  return (await stat(join(machineDir(lab, name), 'machine.json'), { bigint: true })).mtimeNs;
}

/** What a machine has not taken yet: all of it while it boots, and its kubelet's part until that runs. */
async function stillToTake({ lab, name, role }: MachineRecord): Promise<Amounts> {
  const state = machineState(machineDir(lab, name));
  const nothing = sum([]);
  if (state === 'off' || state === 'failed' || state === 'dead') return nothing;
  const used = usedInotifyInstances(new Set(await groupPids(join(labGroup(lab), `m-${name}`))));
  const inotify = Math.max(0, NEEDS[role].inotify - used);
  return { ...(state === 'running' ? nothing : NEEDS[role]), inotify };
}
