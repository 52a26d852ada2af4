import { join } from 'node:path';
import { hierarchies } from '../host/cgroups.ts';
import { GATEWAY } from '../host/switch.ts';
import { labGroup } from '../lab-record.ts';
import type { MachineRecord } from './machine-record.ts';

/** Written to real disk rather than to the overlay that is the machine's root. */
const REAL_DISK = ['var/lib/containerd', 'var/lib/kubelet', 'var/lib/etcd'];

/** Knobs of the kernel that belong to the host and that the kubelet, or common user data, sets. */
const OWN_SYSCTLS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'vm/max_map_count',
  'vm/swappiness',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/pid_max',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
  'fs/file-max',
  'fs/inotify/max_user_instances',
  'fs/inotify/max_user_watches',
];

/** The shell assignments that the machine's scripts read. `lower`: uppermost first. */
export function machineSettings(record: MachineRecord, lower: readonly string[], switchPid: number): string {
  const all = hierarchies();
  const group = join(labGroup(record.lab), `m-${record.name}`);
  const [third = 0, fourth = 0] = record.ip.split('.').slice(2).map(Number);
  const hex = (byte: number) => byte.toString(16).padStart(2, '0');
  const settings: Record<string, string> = {
    NAME: record.name,
    IP: record.ip,
    GATEWAY,
    LOWER: lower.join(':'),
    SWITCH_PID: String(switchPid),
    CABLE: `m${third}-${fourth}`,
    MAC: `02:00:0a:63:${hex(third)}:${hex(fourth)}`,
    REAL_DISK: REAL_DISK.join(' '),
    OWN_SYSCTLS: OWN_SYSCTLS.join(' '),
    GROUPS_OF_MACHINE: all.map((h) => join(h.mountpoint, group)).join('\n'),
    PURE_V2: all.every((h) => h.version === 2) ? 'yes' : '',
    HIERARCHIES: all.map((h) => `${h.version} ${h.name} ${h.options}`).join('\n'),
  };
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${quote(value)}\n`)
    .join('');
}

/** For a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Pods of each machine get a network of their own, behind a bridge on the machine. */
export function cniConfig(ip: string): string {
  return `${JSON.stringify(
    {
      cniVersion: '0.4.0',
      name: 'lab',
      plugins: [
        {
          type: 'bridge',
          bridge: 'cni0',
          isGateway: true,
          ipMasq: true,
          hairpinMode: true,
          ipam: {
            type: 'host-local',
            ranges: [[{ subnet: podSubnet(ip) }]],
            routes: [{ dst: '0.0.0.0/0' }],
          },
        },
        { type: 'portmap', capabilities: { portMappings: true } },
      ],
    },
    null,
    1,
  )}\n`;
}

/** 32 addresses of 10.64.0.0/11 for each machine, by the last two bytes of its own: clear of services and machines. */
function podSubnet(ip: string): string {
  const [third = 0, fourth = 0] = ip.split('.').slice(2).map(Number);
  const at = (third * 256 + fourth) * 32;
  return `10.${64 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}/27`;
}
