import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Role } from '../images/images.ts';
import { labDir, machineNames } from '../lab-record.ts';
import { LabError } from '../process/command.ts';
import { lock } from '../process/lock.ts';
import { alive, processId } from '../process/process-id.ts';

/** What a machine is; written once, before its first boot. */
export interface MachineRecord {
  lab: string;
  name: string;
  ip: string;
  role: Role;
  cloudInit: boolean;
}

/** `dead`: its supervisor is gone without saying why (the host was restarted, or somebody killed it). */
export type MachineState = 'new' | 'booting' | 'running' | 'off' | 'failed' | 'dead';

export function machineDir(lab: string, name: string): string {
  return join(labDir(lab), 'machines', name);
}

export async function readMachineRecord(lab: string, name: string): Promise<MachineRecord> {
  const file = join(machineDir(lab, name), 'machine.json');
  if (!existsSync(file)) {
    const known = await machineNames(lab);
    throw new LabError(
      `there is no machine "${name}"; ${known.length > 0 ? `there is ${known.join(', ')}` : 'there is none'}`,
    );
  }
  return JSON.parse(await readFile(file, 'utf8')) as MachineRecord;
}

/**
 * Enter a new machine in the lab's books: its directory, and an address nobody else there has.
 * @throws LabError for a name that is no host name or is taken, and for an address that is taken or not in the network
 */
export async function reserveMachine(
  wanted: Omit<MachineRecord, 'ip'> & { ip?: string },
): Promise<MachineRecord> {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(wanted.name)) {
    throw new LabError(
      `"${wanted.name}" is no host name: lower-case letters, digits and inner dashes, at most 63`,
    );
  }
  const held = await lock(join(labDir(wanted.lab), 'machines.lock'));
  try {
    const names = await machineNames(wanted.lab);
    if (names.includes(wanted.name)) throw new LabError(`machine "${wanted.name}" exists already`);
    const taken = new Set(
      await Promise.all(names.map(async (name) => (await readMachineRecord(wanted.lab, name)).ip)),
    );
    const ip = wanted.ip ?? freeAddress(taken);
    checkAddress(ip, taken);
    const record: MachineRecord = { ...wanted, ip };
    await mkdir(machineDir(wanted.lab, wanted.name), { recursive: true, mode: 0o700 });
    await writeFile(join(machineDir(wanted.lab, wanted.name), 'machine.json'), `${JSON.stringify(record)}\n`);
    return record;
  } finally {
    await held.release();
  }
}

function freeAddress(taken: ReadonlySet<string>): string {
  for (let last = 11; last < 255; last += 1) if (!taken.has(`10.99.0.${last}`)) return `10.99.0.${last}`;
  throw new LabError('no address is left between 10.99.0.11 and 10.99.0.254: name one with `ip`');
}

/** Machines live in 10.99.0.0/16 and leave its first address to the switch. */
export function checkAddress(ip: string, taken: ReadonlySet<string>): void {
  const parts = /^10\.99\.(\d{1,3})\.(\d{1,3})$/.exec(ip);
  const [third, fourth] = [Number(parts?.[1] ?? 256), Number(parts?.[2] ?? 256)];
  if (third > 255 || fourth > 254 || fourth < 1 || ip === '10.99.0.1') {
    throw new LabError(`${ip} is no address for a machine: 10.99.X.Y, and not 10.99.0.1`);
  }
  if (taken.has(ip)) throw new LabError(`another machine of this lab has the address ${ip}`);
}

function text(dir: string, file: string): string | undefined {
  try {
    return readFileSync(join(dir, file), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What the supervisor last said, checked against whether it still lives. */
export function machineState(dir: string): MachineState {
  const state = text(dir, 'state') as MachineState | undefined;
  if (state === undefined) return 'new';
  if (state === 'off' || state === 'failed') return state;
  const supervisor = (text(dir, 'supervisor') ?? '').split(' ').map(Number);
  const [pid = 0, start = 0] = supervisor;
  if (!alive({ pid, start })) return 'dead';
  // Between two boots the supervisor has not said yet that its machine went down.
  return state === 'running' && livingInit(dir) === undefined ? 'booting' : state;
}

function livingInit(dir: string): number | undefined {
  const pid = Number(text(dir, 'init.pid') ?? 0);
  return pid > 0 && processId(pid) !== undefined ? pid : undefined;
}

/** The host's number of the machine's PID 1, while it runs. */
export function initPid(dir: string): number | undefined {
  return machineState(dir) === 'running' ? livingInit(dir) : undefined;
}

/** How often the machine was booted. */
export function bootCount(dir: string): number {
  return Number(text(dir, 'boot-count') ?? 0);
}
