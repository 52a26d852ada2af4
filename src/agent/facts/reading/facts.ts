/**
 * What a machine is: everything `slipway facts` tells, in one shape. What a machine does not have, or does not show,
 * is left out; `remarks` says of what could not be read, and of what was read and not taken as it stood.
 */
export interface Facts {
  readonly version: 1;
  readonly system: SystemFacts;
  readonly cpu: CpuFacts;
  readonly memory: MemoryFacts;
  /** Nodes of memory and processors; empty where the kernel knows none. */
  readonly numa: readonly NumaNode[];
  /** Graphics and computing devices of NVIDIA, AMD and Intel. */
  readonly gpus: readonly Gpu[];
  /** What computes and is no GPU: PCI class 12, and co-processors. */
  readonly accelerators: readonly PciDevice[];
  /** Displays that compute nothing, such as a server's console. */
  readonly displays: readonly PciDevice[];
  /** What holds data: no loop devices, memory disks, arrays or logical volumes. */
  readonly disks: readonly Disk[];
  /** What has hardware or a hypervisor behind it, and bonds of such. */
  readonly interfaces: readonly NetworkInterface[];
  /** `none`, or what runs this machine as a guest, by the names of systemd-detect-virt. */
  readonly virtualisation?: string;
  readonly firmware: FirmwareFacts;
  readonly tpm?: { readonly version: string };
  readonly kernel: { readonly release?: string; readonly version?: string };
  readonly os: { readonly id?: string; readonly name?: string; readonly version?: string };
  /** The version of the control groups: `v1`, `v2`, or `hybrid`. */
  readonly cgroups?: string;
  /** What the source of user data knows of the machine. */
  readonly source: SourceFacts;
  /** Where each fact was read, by its name: `cpu.model` is from `/proc/cpuinfo`. */
  readonly from: Readonly<Record<string, string>>;
  readonly remarks: readonly Remark[];
}

export interface SystemFacts {
  readonly vendor?: string;
  readonly product?: string;
  readonly version?: string;
  readonly sku?: string;
  readonly serial?: string;
  readonly uuid?: string;
  readonly board?: string;
}

export interface CpuFacts {
  /** As `uname -m` has it. */
  readonly architecture?: string;
  readonly vendor?: string;
  readonly model?: string;
  readonly sockets?: number;
  readonly cores?: number;
  /** Processors that are online. */
  readonly threads?: number;
  readonly flags: readonly string[];
}

export interface MemoryFacts {
  /** What the kernel has to give: MemTotal, which becomes the Node's capacity. */
  readonly bytes?: number;
  /** What is built in, or given to a guest: a little more than the kernel has to give. */
  readonly installedBytes?: number;
  readonly swapBytes?: number;
}

export interface NumaNode {
  readonly node: number;
  /** A list such as `0-15,32-47`. */
  readonly cpus: string;
  readonly bytes?: number;
}

export interface PciDevice {
  /** Such as `0000:3b:00.0`. */
  readonly address: string;
  /** Six hexadecimal digits: class, subclass, interface. */
  readonly class: string;
  /** Four hexadecimal digits each. */
  readonly vendorId: string;
  readonly deviceId: string;
  readonly vendor?: string;
  readonly model?: string;
  readonly driver?: string;
  readonly numaNode?: number;
}

export interface Gpu extends PciDevice {
  readonly memoryBytes?: number;
  /** The device's own, as its driver tells it. */
  readonly uuid?: string;
}

export interface Disk {
  readonly name: string;
  readonly bytes: number;
  readonly model?: string;
  readonly serial?: string;
  readonly rotational?: boolean;
  /** nvme, virtio, usb, mmc, ata or scsi. */
  readonly transport?: string;
  readonly removable?: true;
  readonly readOnly?: true;
  /** Bytes of a logical sector. */
  readonly sectorBytes?: number;
}

export interface NetworkInterface {
  readonly name: string;
  readonly mac?: string;
  /** As the kernel says: up, down, unknown ... */
  readonly state?: string;
  readonly mtu?: number;
  readonly speedMbps?: number;
  readonly driver?: string;
  /** The address on the PCI bus, where there is one. */
  readonly address?: string;
  /** With the length of the prefix: `10.0.0.5/24`. */
  readonly addresses: readonly string[];
}

export interface FirmwareFacts {
  readonly kind?: 'uefi' | 'bios' | 'devicetree';
  readonly vendor?: string;
  readonly version?: string;
  readonly date?: string;
  readonly secureBoot?: boolean;
}

export interface SourceFacts {
  readonly name?: string;
  readonly instanceId?: string;
  readonly instanceType?: string;
  readonly region?: string;
  readonly zone?: string;
  readonly providerId?: string;
}

/** Something to know about a fact: why it is not there, or what was done to it. */
export interface Remark {
  /** Its name, or that of several: `system`, `interfaces`. */
  readonly fact: string;
  readonly path: string;
  readonly message: string;
}
