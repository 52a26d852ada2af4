import { omitUndefined } from '../../../kit/json.ts';
import type { Host } from '../../host/host.ts';
import { BIOS, readKey } from '../../host/windows-registry.ts';
import { FactReader } from '../reading/fact-reader.ts';
import type {
  CpuFacts,
  Facts,
  FirmwareFacts,
  MemoryFacts,
  SourceFacts,
  SystemFacts,
} from '../reading/facts.ts';
import { type CimClass, type CimInstance, queryCim } from './cim.ts';
import { disksOf, displayAdaptersOf, networkAdaptersOf } from './devices.ts';

const PROCESSOR = 'HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0';
const CONTROL = 'HKLM\\SYSTEM\\CurrentControlSet\\Control';
const ENVIRONMENT = `${CONTROL}\\Session Manager\\Environment`;
const VERSION = 'HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion';

/**
 * The same facts of Windows: from its registry, and from CIM where PowerShell is there.
 *
 * @param readSource what the source of user data said, which is kept alike everywhere
 */
export async function gatherWindowsFacts(
  host: Host,
  readSource: (reader: FactReader) => Promise<SourceFacts>,
): Promise<Facts> {
  const reader = new FactReader(host);
  const cim = await queryCim(host);
  if (cim === undefined) reader.remark('system', 'powershell.exe', 'it is not there, or gives no answer');
  const ask = (name: CimClass): CimInstance[] => cim?.(name) ?? [];
  const system = await readSystem(reader, ask);
  const virtualisation = virtualisationOf(system);
  if (virtualisation !== undefined) reader.from.virtualisation = BIOS;
  const facts = {
    version: 1 as const,
    system,
    cpu: await readProcessor(reader, ask),
    memory: memoryOf(reader, ask),
    numa: [],
    ...displayAdaptersOf(reader, ask('Win32_VideoController')),
    disks: disksOf(reader, ask('Win32_DiskDrive')),
    interfaces: networkAdaptersOf(reader, ask('Win32_NetworkAdapter'), host.interfaceAddresses()),
    ...(virtualisation === undefined ? {} : { virtualisation }),
    firmware: await readFirmware(reader),
    ...(await readSoftware(reader)),
    source: await readSource(reader),
  };
  return { ...facts, from: reader.from, remarks: reader.remarks };
}

type Ask = (name: CimClass) => CimInstance[];

/** A text of a key, cleaned as what firmware says is. */
async function texts(reader: FactReader, key: string) {
  const values = await readKey(reader.host, key);
  return (fact: string, name: string): string | undefined =>
    told(reader, fact, key, values.get(name.toLowerCase()));
}

function told(reader: FactReader, fact: string, place: string, text: unknown): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  reader.from[fact] = place;
  return reader.clean(fact, place, Buffer.from(text.trim()));
}

async function readSystem(reader: FactReader, ask: Ask): Promise<SystemFacts> {
  const of = await texts(reader, BIOS);
  const [product] = ask('Win32_ComputerSystemProduct');
  const uuid = told(reader, 'system.uuid', 'Win32_ComputerSystemProduct', product?.UUID);
  return omitUndefined({
    vendor: of('system.vendor', 'SystemManufacturer'),
    product: of('system.product', 'SystemProductName'),
    version: of('system.version', 'SystemVersion'),
    sku: of('system.sku', 'SystemSKU'),
    board: of('system.board', 'BaseBoardProduct'),
    serial: told(reader, 'system.serial', 'Win32_ComputerSystemProduct', product?.IdentifyingNumber),
    uuid: uuid?.toLowerCase(),
  });
}

const ARCHITECTURES: Readonly<Record<string, string>> = { AMD64: 'x86_64', ARM64: 'aarch64' };

async function readProcessor(reader: FactReader, ask: Ask): Promise<CpuFacts> {
  const of = await texts(reader, PROCESSOR);
  const machine = await texts(reader, ENVIRONMENT);
  const name = machine('cpu.architecture', 'PROCESSOR_ARCHITECTURE');
  const threads = Number(machine('cpu.threads', 'NUMBER_OF_PROCESSORS'));
  const sockets = ask('Win32_Processor');
  const cores = sum(sockets, 'NumberOfCores');
  for (const fact of sockets.length > 0 ? ['cpu.sockets', 'cpu.cores'] : [])
    reader.from[fact] = 'Win32_Processor';
  return {
    flags: [],
    ...omitUndefined({
      architecture: name === undefined ? undefined : (ARCHITECTURES[name] ?? name.toLowerCase()),
      vendor: of('cpu.vendor', 'VendorIdentifier'),
      model: of('cpu.model', 'ProcessorNameString'),
      sockets: sockets.length > 0 ? sockets.length : undefined,
      cores: cores > 0 ? cores : undefined,
      threads: threads > 0 ? threads : undefined,
    }),
  };
}

function memoryOf(reader: FactReader, ask: Ask): MemoryFacts {
  const visible = sum(ask('Win32_OperatingSystem'), 'TotalVisibleMemorySize') * 1024;
  const installed = sum(ask('Win32_ComputerSystem'), 'TotalPhysicalMemory');
  if (visible > 0) reader.from['memory.bytes'] = 'Win32_OperatingSystem';
  if (installed > 0) reader.from['memory.installedBytes'] = 'Win32_ComputerSystem';
  return omitUndefined({
    bytes: visible > 0 ? visible : undefined,
    installedBytes: installed > 0 ? installed : undefined,
  });
}

async function readFirmware(reader: FactReader): Promise<FirmwareFacts> {
  const of = await texts(reader, BIOS);
  const control = await texts(reader, CONTROL);
  const state = await texts(reader, `${CONTROL}\\SecureBoot\\State`);
  const kind = { 1: 'bios' as const, 2: 'uefi' as const }[control('firmware.kind', 'PEFirmwareType') ?? ''];
  const secure = state('firmware.secureBoot', 'UEFISecureBootEnabled');
  return omitUndefined({
    kind,
    vendor: of('firmware.vendor', 'BIOSVendor'),
    version: of('firmware.version', 'BIOSVersion'),
    date: of('firmware.date', 'BIOSReleaseDate'),
    secureBoot: secure === undefined ? undefined : secure === '1',
  });
}

async function readSoftware(reader: FactReader): Promise<Pick<Facts, 'kernel' | 'os'>> {
  const of = await texts(reader, VERSION);
  const build = of('kernel.release', 'CurrentBuild');
  const revision = of('kernel.release', 'UBR');
  return {
    kernel: build === undefined ? {} : { release: ['10.0', build, revision].filter(Boolean).join('.') },
    os: {
      id: 'windows',
      ...omitUndefined({ name: of('os.name', 'ProductName'), version: of('os.version', 'DisplayVersion') }),
    },
  };
}

/** What hypervisors call their machines; a name that is not here is no proof of hardware. */
const HYPERVISORS: readonly (readonly [RegExp, string])[] = [
  [/^Microsoft Corporation Virtual Machine/, 'microsoft'],
  [/^VMware/, 'vmware'],
  [/^Amazon EC2/, 'amazon'],
  [/^Google/, 'google'],
  [/^(?:QEMU|Red Hat|OpenStack|KubeVirt|Hetzner|DigitalOcean)/, 'kvm'],
  [/^innotek/, 'oracle'],
  [/^Xen/, 'xen'],
];

function virtualisationOf({ vendor = '', product = '' }: SystemFacts): string | undefined {
  return HYPERVISORS.find(([form]) => form.test(`${vendor} ${product}`))?.[1];
}

function sum(instances: readonly CimInstance[], field: string): number {
  return instances.reduce((total, one) => total + (Number(one[field]) || 0), 0);
}
