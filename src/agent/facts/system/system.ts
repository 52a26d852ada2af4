import { omitUndefined } from '../../../kit/json.ts';
import type { FactReader } from '../reading/fact-reader.ts';
import type { CpuFacts, FirmwareFacts, SystemFacts } from '../reading/facts.ts';

const DMI = '/sys/class/dmi/id';
const TREE = '/proc/device-tree';

/** What SMBIOS says the machine is; where there is none, the model of the device tree. */
export async function readSystem(reader: FactReader): Promise<SystemFacts> {
  if (!(await reader.has(DMI))) return readDeviceTree(reader);
  const field = async <K extends keyof SystemFacts>(name: K, file: string) =>
    ({ [name]: await reader.text(`system.${name}`, `${DMI}/${file}`) }) as { [P in K]?: string };
  return omitUndefined({
    ...(await field('vendor', 'sys_vendor')),
    ...(await field('product', 'product_name')),
    ...(await field('version', 'product_version')),
    ...(await field('sku', 'product_sku')),
    ...(await field('serial', 'product_serial')),
    ...(await field('uuid', 'product_uuid')),
    ...(await field('board', 'board_name')),
  });
}

async function readDeviceTree(reader: FactReader): Promise<SystemFacts> {
  const model = `${TREE}/model`;
  if (!(await reader.has(model))) {
    reader.remark('system', DMI, 'the firmware gives no SMBIOS, and no model in a device tree');
    return {};
  }
  const text = async (fact: string, path: string) => {
    const bytes = await reader.bytes(fact, path);
    // Texts of a device tree end with a zero.
    return bytes && reader.clean(fact, path, bytes.subarray(0, zeroOf(bytes)));
  };
  return omitUndefined({
    product: await text('system.product', model),
    serial: await text('system.serial', `${TREE}/serial-number`),
  });
}

function zeroOf(bytes: Uint8Array): number {
  const at = bytes.indexOf(0);
  return at < 0 ? bytes.length : at;
}

const EFI = '/sys/firmware/efi';
/** SecureBoot of the UEFI specification, section 3.3: four bytes of attributes, then 1 where it is in force. */
const SECURE_BOOT = `${EFI}/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c`;

/** The firmware. Its variables are its own code's to read, so that comes later. */
export async function readFirmware(reader: FactReader): Promise<FirmwareFacts> {
  const isEfi = await reader.has(EFI);
  const text = (name: string, file: string) => reader.text(`firmware.${name}`, `${DMI}/${file}`);
  const kind = isEfi
    ? 'uefi'
    : (await reader.has(DMI))
      ? 'bios'
      : (await reader.has(TREE))
        ? 'devicetree'
        : undefined;
  if (kind !== undefined) reader.from['firmware.kind'] = kind === 'uefi' ? EFI : kind === 'bios' ? DMI : TREE;
  const facts: { -readonly [K in keyof FirmwareFacts]: FirmwareFacts[K] } = omitUndefined({
    kind,
    vendor: await text('vendor', 'bios_vendor'),
    version: await text('version', 'bios_version'),
    date: await text('date', 'bios_date'),
  });
  if (isEfi)
    reader.later('firmware.secureBoot', SECURE_BOOT, (bytes) => {
      if (bytes.length === 5) facts.secureBoot = bytes[4] === 1;
      else reader.remark('firmware.secureBoot', SECURE_BOOT, `it has ${bytes.length} bytes instead of 5`);
    });
  return facts;
}

const TPM = '/sys/class/tpm/tpm0';

export async function readTpmVersion(reader: FactReader): Promise<{ version: string } | undefined> {
  if (!(await reader.has(TPM))) return undefined;
  const major = await reader.number('tpm.version', `${TPM}/tpm_version_major`);
  // Kernels before 5.6 do not tell; a TPM 1.2 has its commands' PCRs as a file, which a TPM 2.0 never had.
  const isOld = major === 1 || (major === undefined && (await reader.has(`${TPM}/device/pcrs`)));
  reader.from['tpm.version'] ??= TPM;
  return { version: isOld ? '1.2' : '2.0' };
}

const CLOCKS = '/sys/devices/system/clocksource/clocksource0/available_clocksource';
const XEN = '/sys/hypervisor/type';
const TREE_HYPERVISOR = '/proc/device-tree/hypervisor/compatible';
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
  const tree = (await reader.text(fact, TREE_HYPERVISOR)) ?? '';
  if (tree !== '')
    return found(tree.includes('kvm') ? 'kvm' : tree.includes('xen') ? 'xen' : 'vm-other', TREE_HYPERVISOR);
  if (isGuest) return found('vm-other', '/proc/cpuinfo');
  delete reader.from[fact];
  // Only x86's processors have a flag for it, so elsewhere the lack of signs proves nothing.
  return flags.includes('tsc') ? found('none', '/proc/cpuinfo') : undefined;
}
