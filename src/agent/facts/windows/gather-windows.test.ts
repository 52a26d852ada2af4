import { expect, it } from 'vitest';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import type { CommandResult } from '../../host/processes.ts';
import { gatherWindowsFacts } from './gather-windows.ts';

const KEYS: Readonly<Record<string, string>> = {
  'HKLM\\HARDWARE\\DESCRIPTION\\System\\BIOS':
    '    BIOSReleaseDate    REG_SZ    02/24/2026\r\n    BIOSVendor    REG_SZ    Maker\r\n    SystemManufacturer    REG_SZ    Microsoft Corporation\r\n    SystemProductName    REG_SZ    Virtual Machine\r\n    SystemSKU    REG_SZ    To be filled by O.E.M.\r\n',
  'HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0':
    '    ProcessorNameString    REG_SZ    A Processor @ 2.50GHz\r\n    VendorIdentifier    REG_SZ    GenuineIntel\r\n',
  'HKLM\\SYSTEM\\CurrentControlSet\\Control':
    '    PEFirmwareType    REG_DWORD    0x2\r\n    SystemStartOptions    REG_SZ     NOEXECUTE=OPTOUT\r\n\r\nHKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Arbiters\r\n',
  'HKLM\\SYSTEM\\CurrentControlSet\\Control\\SecureBoot\\State':
    '    UEFISecureBootEnabled    REG_DWORD    0x1\r\n',
  'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment':
    '    NUMBER_OF_PROCESSORS    REG_SZ    8\r\n    PROCESSOR_ARCHITECTURE    REG_SZ    AMD64\r\n',
  'HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion':
    '    ProductName    REG_SZ    Windows Server 2022 Datacenter\r\n    CurrentBuild    REG_SZ    20348\r\n    UBR    REG_DWORD    0x9c4\r\n    DisplayVersion    REG_SZ    21H2\r\n',
};
const CIM = {
  Win32_ComputerSystemProduct: [
    { IdentifyingNumber: ' 0000-1234 ', UUID: '4C4C4544-0043-3010-8052-B4C04F564231' },
  ],
  Win32_OperatingSystem: { TotalVisibleMemorySize: 16_776_692 },
  Win32_ComputerSystem: [{ TotalPhysicalMemory: 17_179_332_608 }],
  Win32_Processor: [
    { NumberOfCores: 2, NumberOfLogicalProcessors: 4 },
    { NumberOfCores: 2, NumberOfLogicalProcessors: 4 },
  ],
  Win32_DiskDrive: [
    {
      ...{
        DeviceID: '\\\\.\\PHYSICALDRIVE0',
        Model: 'Msft Virtual Disk',
        SerialNumber: null,
        Size: 136365_211_648,
      },
      ...{ InterfaceType: 'SCSI', MediaType: 'Fixed hard disk media', BytesPerSector: 512 },
    },
    { DeviceID: '\\\\.\\PHYSICALDRIVE1', Size: null },
  ],
  Win32_VideoController: [
    { Name: 'NVIDIA A100', PNPDeviceID: 'PCI\\VEN_10DE&DEV_20B0&SUBSYS_134F10DE&REV_A1\\4&1A2B' },
    { Name: 'Microsoft Hyper-V Video', PNPDeviceID: 'VMBUS\\{DA0A7802}' },
  ],
  Win32_NetworkAdapter: [
    {
      ...{ NetConnectionID: 'Ethernet', MACAddress: '00:15:5D:01:02:03', NetConnectionStatus: 2 },
      ...{ PhysicalAdapter: true, Speed: '10000000000' },
    },
    { NetConnectionID: null, MACAddress: null, PhysicalAdapter: false },
  ],
};

function windows(cim: unknown): Host {
  const said = (stdout: string): CommandResult => ({
    exitStatus: 0,
    stdout,
    stderr: '',
    timedOut: false,
    ms: 1,
  });
  const real = createLinuxHost();
  return {
    ...real,
    platform: 'windows',
    interfaceAddresses: () => [
      { name: 'Ethernet', address: '192.0.2.4/24' },
      { name: 'Loopback Pseudo-Interface 1', address: '127.0.0.1/8' },
    ],
    processes: {
      ...real.processes,
      run: async ({ argv }) =>
        argv[0].endsWith('reg.exe')
          ? said(KEYS[argv[2] ?? ''] ?? '')
          : said(typeof cim === 'string' ? cim : JSON.stringify(cim)),
    },
  };
}

const gather = (cim: unknown) => gatherWindowsFacts(windows(cim), async () => ({}));

it('tells of Windows what its registry and CIM know, as of any machine', async () => {
  expect(await gather(CIM)).toEqual({
    version: 1,
    system: {
      ...{ vendor: 'Microsoft Corporation', product: 'Virtual Machine', serial: '0000-1234' },
      uuid: '4c4c4544-0043-3010-8052-b4c04f564231',
    },
    cpu: {
      ...{ architecture: 'x86_64', vendor: 'GenuineIntel', model: 'A Processor @ 2.50GHz', flags: [] },
      ...{ sockets: 2, cores: 4, threads: 8 },
    },
    memory: { bytes: 17_179_332_608, installedBytes: 17_179_332_608 },
    numa: [],
    gpus: [{ address: '4&1A2B', class: '030000', vendorId: '10de', deviceId: '20b0', model: 'NVIDIA A100' }],
    accelerators: [],
    displays: [],
    disks: [
      {
        ...{ name: 'PHYSICALDRIVE0', bytes: 136365_211_648, model: 'Msft Virtual Disk' },
        ...{ transport: 'scsi', sectorBytes: 512 },
      },
    ],
    interfaces: [
      {
        ...{ name: 'Ethernet', mac: '00:15:5d:01:02:03', state: 'up', speedMbps: 10_000 },
        addresses: ['192.0.2.4/24'],
      },
    ],
    virtualisation: 'microsoft',
    firmware: { kind: 'uefi', vendor: 'Maker', date: '02/24/2026', secureBoot: true },
    kernel: { release: '10.0.20348.2500' },
    os: { id: 'windows', name: 'Windows Server 2022 Datacenter', version: '21H2' },
    source: {},
    from: expect.objectContaining({
      'system.vendor': expect.stringContaining('BIOS'),
      'disks[].bytes': 'Win32_DiskDrive',
    }),
    remarks: [
      expect.objectContaining({ fact: 'system.sku', message: expect.stringContaining('To be filled') }),
    ],
  });
});

it.each(['', '\u0000garbage', '[]', '{"Win32_DiskDrive": [1, null, {"Size": "x"}]}'])(
  'does without PowerShell, and bears what it should not say: %j',
  async (said) => {
    const facts = await gather(said);
    expect(facts).toMatchObject({
      system: { vendor: 'Microsoft Corporation' },
      cpu: { threads: 8 },
      memory: {},
      disks: [],
      interfaces: [{ name: 'Ethernet', addresses: ['192.0.2.4/24'] }],
    });
  },
);
