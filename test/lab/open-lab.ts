import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  attachControlPlane,
  type ControlPlane,
  hasControlPlane,
  openControlPlane,
} from './control-plane/control-plane.ts';
import { makeGroup } from './host/cgroups.ts';
import { cpuSecondsOf } from './host/cpu-time.ts';
import { needKernelModules } from './host/kernel-modules.ts';
import { needRequirements } from './host/requirements.ts';
import { openSwitch } from './host/switch.ts';
import { cloneContainerdState, containerdState } from './images/containerd-state.ts';
import type { Role } from './images/images.ts';
import {
  collectGarbage,
  destroyLab,
  hostBoot,
  inUse,
  labDir,
  labGroup,
  newLabId,
  readRecord,
  USER_LAB,
  whileNobodyOpens,
  writeRecord,
} from './lab-record.ts';
import { demandBootable } from './machine/boot-trouble.ts';
import { Machine, makeDisk, type Readiness } from './machine/machine.ts';
import { type MachineFile, type MachineUnit, stage } from './machine/machine-files.ts';
import { readMachineRecord, reserveMachine } from './machine/machine-record.ts';
import { cniConfig, machineSettings } from './machine/settings.ts';
import { LabError } from './process/command.ts';
import { self } from './process/process-id.ts';
import { closeOnSignals } from './process/signals.ts';
import { leaveHost, makeRoomFor } from './room.ts';
import { fullRoot, plainLayer } from './root/debian-root.ts';
import { cloudInitLayer, nodeLayer } from './root/node-layer.ts';

type Say = (line: string) => void;

interface UpOptions {
  /** true: real cloud-init runs at boot; default: cloud-init is not installed at all. */
  cloudInit?: boolean;
  /** Which container images are there; default: all of a control plane. */
  role?: Role;
  /** 10.99.X.Y; default: the next free one. */
  ip?: string;
  /** On the disk before the first boot, by absolute path. */
  files?: Readonly<Record<string, MachineFile>>;
  /** systemd units by file name, enabled before the first boot. */
  units?: Readonly<Record<string, MachineUnit>>;
  /** Directories that lie over the image's own, uppermost first: what somebody has changed in it. */
  over?: readonly string[];
  /** false: the machine is made but not switched on. */
  boot?: boolean;
  /** How far the boot must have come before `up` returns; default: containerd runs. */
  ready?: Readiness;
}

/** Machines on a switch of their own. */
export class Lab {
  readonly id: string;
  readonly #switchPid: number;
  readonly #close: () => Promise<void>;
  readonly #say: Say;
  #controlPlane: Promise<ControlPlane> | undefined;
  #closed = false;

  constructor(id: string, switchPid: number, close: () => Promise<void>, say: Say) {
    this.id = id;
    this.#switchPid = switchPid;
    this.#close = close;
    this.#say = say;
  }

  /** Make a machine and switch it on. The first ever takes minutes (the cache is filled), later ones about 3 s. */
  async up(name: string, options: UpOptions = {}): Promise<Machine> {
    const [role, cloudInit] = [options.role ?? 'control-plane', options.cloudInit ?? false];
    const layers = [...(options.over ?? []), ...(await machineLayers(cloudInit, this.#say))];
    const containerd = await containerdState(role, this.#say);
    this.#mustBeOpen();
    const record = await reserveMachine({
      lab: this.id,
      name,
      role,
      cloudInit,
      ...(options.ip ? { ip: options.ip } : {}),
    });
    const machine = new Machine(record);
    try {
      await makeRoomFor(record, this.#say);
      const dir = await makeDisk(record);
      await cloneContainerdState(containerd, join(dir, 'disk/var/lib/containerd'));
      await stage(dir, options.files ?? {}, options.units ?? {});
      await writeFile(join(dir, 'cni.conflist'), cniConfig(record.ip));
      await writeFile(join(dir, 'settings'), machineSettings(record, layers, this.#switchPid));
      this.#mustBeOpen();
      if (options.boot !== false) await machine.boot(options.ready);
      return machine;
    } catch (error) {
      await machine.down();
      throw error;
    }
  }

  /** A control plane without containers, joinable; made at the first call. Takes about 10 s. */
  controlPlane(): Promise<ControlPlane> {
    this.#controlPlane ??= openControlPlane(this.id, this.#switchPid, this.#say).catch((error: unknown) => {
      this.#controlPlane = undefined;
      throw error;
    });
    return this.#controlPlane;
  }

  /** The control plane that runs already. @throws LabError where none does */
  existingControlPlane(): Promise<ControlPlane> {
    return attachControlPlane(this.id, this.#switchPid);
  }

  /** Is there a control plane, whether all of it runs or not? */
  async hasControlPlane(): Promise<boolean> {
    return hasControlPlane(this.id);
  }

  /** A machine that is there already. @throws LabError when it is not */
  async machine(name: string): Promise<Machine> {
    return new Machine(await readMachineRecord(this.id, name));
  }

  /** Take everything away. Harmless when done already. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#close();
  }

  /** A lab that was closed while a machine was being made must not get that machine. */
  #mustBeOpen(): void {
    if (this.#closed) throw new LabError('this lab is closed');
  }
}

/** The directories of which a machine's root is made, uppermost first. */
export async function machineLayers(cloudInit: boolean, say?: Say): Promise<string[]> {
  const root = await fullRoot(say);
  await demandBootable(root);
  const flavour = cloudInit ? await cloudInitLayer(say) : await plainLayer(say);
  return [await nodeLayer(say), flavour, root];
}

let opened = 0;
let cpuSeconds = 0;

/** Seconds of CPU time that the machines and control planes of all labs took which this process has opened and closed. */
export function cpuSecondsOfLabs(): number {
  return cpuSeconds;
}

/**
 * Open a lab that ends with this process: `close` it, or let it be closed on SIGINT, SIGTERM and SIGHUP. If this
 * process is killed, the switch's holder notices and takes the lab away.
 * @throws LabError that says what this host lacks
 */
export async function openLab(options: { say?: Say } = {}): Promise<Lab> {
  await needRequirements();
  await needKernelModules();
  await collectGarbage();
  const owner = self();
  opened += 1;
  const id = newLabId(owner, opened);
  await mkdir(join(labDir(id), 'machines'), { recursive: true, mode: 0o700 });
  const cleaner = [process.execPath, join(import.meta.dirname, 'clean-up.ts'), id];
  const network = await openSwitch(cleaner);
  await writeRecord({ id, owner, holder: network.holder, hostBoot: hostBoot() });
  await makeGroup(labGroup(id));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      cpuSeconds += cpuSecondsOf(labGroup(id));
      await destroyLab(id, network.holder);
      await network.close();
      await leaveHost();
      forget();
    })();
    return closing;
  };
  const lab = new Lab(id, network.holder.pid, close, options.say ?? sayOnStderr);
  const forget = closeOnSignals(() => lab.close());
  return lab;
}

/** The lab of the person at the keyboard: it stays after this process, until it is closed. Made when it is not there. */
export async function openUserLab(options: { say?: Say } = {}): Promise<Lab> {
  await needRequirements();
  await needKernelModules();
  await collectGarbage();
  return whileNobodyOpens(async () => (await attachUserLab(options)) ?? (await makeUserLab(options)));
}

async function makeUserLab(options: { say?: Say }): Promise<Lab> {
  await mkdir(join(labDir(USER_LAB), 'machines'), { recursive: true, mode: 0o700 });
  const network = await openSwitch();
  await writeRecord({ id: USER_LAB, owner: null, holder: network.holder, hostBoot: hostBoot() });
  await makeGroup(labGroup(USER_LAB));
  return new Lab(USER_LAB, network.holder.pid, closeUserLab, options.say ?? sayOnStderr);
}

async function closeUserLab(): Promise<void> {
  await destroyLab(USER_LAB);
  await leaveHost();
}

/** What takes minutes, and what is waited for, is said even where nobody asked. */
function sayOnStderr(line: string): void {
  process.stderr.write(`lab: ${line}\n`);
}

/** The person's lab where there is one. */
export async function attachUserLab(options: { say?: Say } = {}): Promise<Lab | undefined> {
  const record = await readRecord(USER_LAB);
  if (record === undefined || !inUse(record)) return undefined;
  return new Lab(USER_LAB, record.holder.pid, closeUserLab, options.say ?? sayOnStderr);
}

/** @throws LabError where the person has no lab */
export async function userLab(): Promise<Lab> {
  const lab = await attachUserLab();
  if (lab === undefined) throw new LabError('no machine is up; `npm run lab -- up NAME` makes one');
  return lab;
}
