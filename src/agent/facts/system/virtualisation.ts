import type { FactReader } from '../reading/fact-reader.ts';
import type { CpuFacts, SystemFacts } from '../reading/facts.ts';

const DMI = '/sys/class/dmi/id';
const CLOCKS = '/sys/devices/system/clocksource/clocksource0/available_clocksource';
const XEN = '/sys/hypervisor/type';
const TREE = '/proc/device-tree/hypervisor/compatible';
/** QEMU's own device, which it has with any firmware, whatever that says. */
const QEMU_DEVICE = '/sys/bus/acpi/devices/QEMU0002:00';

/** What hypervisors and clouds write into SMBIOS, and what systemd-detect-virt calls them. */
const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Amazon EC2/, 'amazon'],
  [/^Google( Compute Engine)?$/, 'google'],
  [/^(VMware|VMW)/, 'vmware'],
  [/^(innotek GmbH|VirtualBox|Oracle Corporation)/, 'oracle'],
  [/^(Microsoft Corporation|Hyper-V)/, 'microsoft'],
  [/^Xen/, 'xen'],
  [/^Bochs/, 'bochs'],
  [/^Parallels/, 'parallels'],
  [/^BHYVE/, 'bhyve'],
  [/^Apple Virtualization/, 'apple'],
  [/^(KVM|OpenStack|KubeVirt|RHEV|oVirt|Nutanix)/, 'kvm'],
  [/^QEMU/, 'qemu'],
];

/**
 * What this machine is a guest of. The processor's own answer cannot be asked for in a file; the clocks that the kernel
 * has taken from its hypervisor say the same. A machine without any sign of one is none's guest.
 */
export async function readVirtualisation(
  reader: FactReader,
  { product, vendor, version, board }: SystemFacts,
  { flags }: CpuFacts,
): Promise<string | undefined> {
  const fact = 'virtualisation';
  const found = (kind: string, path: string) => {
    reader.from[fact] = path;
    return kind;
  };
  const isGuest = flags.includes('hypervisor');
  const isX86 = flags.includes('tsc');
  const words = [product, vendor, board, version].filter((word) => word !== undefined);
  const named = BY_WORDS.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1];
  // A laptop of Microsoft's and a server of Oracle's are what they say, and no guests.
  if (named !== undefined && named !== 'qemu' && (isGuest || !isX86)) return found(named, DMI);
  const xen = await reader.text(fact, XEN);
  if (xen === 'xen') return found('xen', XEN);
  const clocks = (await reader.text(fact, CLOCKS)) ?? '';
  const clock = [
    ['kvm-clock', 'kvm'],
    ['hyperv_clocksource', 'microsoft'],
    ['xen', 'xen'],
  ].find(([sign = '']) => clocks.includes(sign))?.[1];
  if (clock !== undefined) return found(clock, CLOCKS);
  if (named !== undefined && (isGuest || !isX86)) return found(named, DMI);
  if (await reader.has(QEMU_DEVICE)) return found('qemu', QEMU_DEVICE);
  const tree = (await reader.text(fact, TREE)) ?? '';
  if (tree !== '')
    return found(tree.includes('kvm') ? 'kvm' : tree.includes('xen') ? 'xen' : 'vm-other', TREE);
  if (isGuest) return found('vm-other', '/proc/cpuinfo');
  delete reader.from[fact];
  // Only x86's processors have a flag for it, so elsewhere the lack of signs proves nothing.
  return flags.includes('tsc') ? found('none', '/proc/cpuinfo') : undefined;
}
