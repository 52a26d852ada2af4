import { expect, test } from 'vitest';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import type { CommandResult } from '../../../host/processes.ts';
import { readPlatformInfo } from '../../../platform/platform-info.ts';
import { openGuestRpc } from '../channels/guest-rpc.ts';
import { virtualRouters } from '../clouds/cloudstack.ts';
import { SOURCES } from '../source-table.ts';

const TOOL = 'C:\\Program Files\\VMware\\VMware Tools\\rpctool.exe';

interface Shown {
  /** What VMware's tool answers, by its words. */
  tools?: Readonly<Record<string, string>>;
  /** The firmware's table, in hexadecimal digits. */
  smbios?: string;
  /** What the registry has of the network's interfaces. */
  network?: string;
  /** By path with slashes. */
  files?: Readonly<Record<string, string>>;
  /** What drives are: of a disc its device, of another one the sentence with its label. */
  drives?: Readonly<Record<string, string>>;
}

/** A Windows machine whose firmware says this. */
function windows(
  vendor: string,
  product: string,
  { tools = {}, smbios = '', network = '', files = {}, drives = {} }: Shown = {},
): Host {
  const real = createLinuxHost({ root: '/nothing' });
  const said = (stdout: string, exitStatus = 0): CommandResult => ({
    ...{ exitStatus, stdout, stderr: exitStatus === 0 ? '' : 'No value found\r\n', timedOut: false, ms: 1 },
  });
  const key = `    SystemManufacturer    REG_SZ    ${vendor}\r\n    SystemProductName    REG_SZ    ${product}\r\n`;
  return {
    ...real,
    platform: 'windows',
    env: () => undefined,
    files: {
      ...real.files,
      stat: async (path) =>
        path === TOOL || Object.keys(files).some((name) => name.startsWith(path))
          ? ({ kind: 'file' } as never)
          : undefined,
      readIfPresent: async (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
      list: async () => [],
    },
    processes: {
      ...real.processes,
      run: async ({ argv: [program, ...words] }) => {
        if (program !== TOOL && words[1]?.endsWith('mssmbios\\Data'))
          return said(`    SMBiosData    REG_BINARY    ${smbios}\r\n`);
        if (program !== TOOL && words[1]?.endsWith('Interfaces'))
          return said(words[4] === 'DhcpServer' ? network : '');
        if (program !== TOOL && words[1]?.endsWith('MountedDevices'))
          return said(
            Object.entries(drives)
              .map(([letter, label]) => {
                const device = label.startsWith('\\??\\') ? label : 'DMIO:ID:';
                const bytes = Buffer.from(device, 'utf16le').toString('hex').toUpperCase();
                return `    \\DosDevices\\${letter}:    REG_BINARY    ${bytes}\r\n`;
              })
              .join(''),
          );
        if (program.endsWith('cmd.exe')) return said(`${drives[words[3]?.slice(0, 1) ?? '']}\r\n`);
        if (program !== TOOL) return said(program.endsWith('reg.exe') ? key : '');
        const answer = tools[words.join('|')];
        return answer === undefined ? said('', 1) : said(`${answer}\r\n`);
      },
    },
  };
}

test.each([
  ['Amazon EC2', 'm5.large', ['ec2']],
  ['Google', 'Google Compute Engine', ['gce']],
  ['OpenStack Foundation', 'OpenStack Nova', ['openstack']],
  ['VMware, Inc.', 'VMware7,1', ['vmware']],
  ['Microsoft Corporation', 'Virtual Machine', []],
])('%s %s shows %j on Windows too', async (vendor, product, names) => {
  const machine = await readPlatformInfo(windows(vendor, product));
  const shown: string[] = [];
  for (const { name, recognise } of SOURCES)
    if ((await recognise?.(machine, { datasource: {} })) !== undefined) shown.push(name);
  expect(shown).toEqual(names);
});

test("guestinfo is asked by VMware's tool for Windows, which takes one word", async () => {
  const rpc = await openGuestRpc(
    windows('VMware, Inc.', '', { tools: { 'info-get guestinfo.userdata': 'YQ==' } }),
  );
  expect(rpc?.tool).toBe(TOOL);
  expect(await rpc?.get('userdata')).toBe('YQ==');
  expect(await rpc?.get('vendordata')).toBeUndefined();
});

const OVF = `<Environment xmlns="http://schemas.dmtf.org/ovf/environment/1" xmlns:oe="http://schemas.dmtf.org/ovf/environment/1">
<PropertySection><Property oe:key="user-data" oe:value="#cloud-config"/></PropertySection></Environment>`;

/** A structure of the firmware's table: its bytes by place, its texts behind it. */
function structure(
  type: number,
  length: number,
  bytes: Readonly<Record<number, number>>,
  ...texts: string[]
): Buffer {
  const head = Buffer.alloc(length);
  for (const [at, byte] of Object.entries(bytes)) head[Number(at)] = byte;
  head[0] = type;
  head[1] = length;
  return Buffer.concat([head, Buffer.from(texts.length === 0 ? '\0\0' : `${texts.join('\0')}\0\0`)]);
}

const UUID = Object.fromEntries(
  [...Buffer.from('2cae12ec8167fd4d9f3fd2a6fe7f3dd2', 'hex')].map((byte, at) => [at + 8, byte]),
);

test("the firmware's whole table shows a cloud by its tag, and the machine's id", async () => {
  const table = Buffer.concat([
    Buffer.alloc(8, 1),
    structure(0, 24, {}, 'a maker', 'a version'),
    structure(1, 27, { ...UUID, 4: 1, 5: 2, 7: 3 }, 'Microsoft Corporation', 'Virtual Machine', 'S-1 '),
    structure(3, 22, { 4: 1, 8: 2 }, 'Microsoft Corporation', '7783-7084-3265-9085-8269-3286-77'),
    structure(127, 4, {}),
  ]);
  const smbios = table.toString('hex').toUpperCase();
  const machine = await readPlatformInfo(windows('Microsoft Corporation', 'Virtual Machine', { smbios }));
  expect(machine.dmi('chassis_asset_tag')).toBe('7783-7084-3265-9085-8269-3286-77');
  expect(machine.dmi('product_serial')).toBe('S-1');
  expect(machine.dmi('product_uuid')).toBe('ec12ae2c-6781-4dfd-9f3f-d2a6fe7f3dd2');
  const azure = SOURCES.find(({ name }) => name === 'azure');
  expect(await azure?.recognise?.(machine, { datasource: {} })).toMatch(/chassis_asset_tag/);
});

test.each(['', '00', '01'.repeat(9), `${'01'.repeat(8)}01ff`, `${'00'.repeat(8)}${'0118000000'.repeat(4)}`])(
  'a damaged table %j says nothing, and takes nothing from what is known',
  async (smbios) => {
    const machine = await readPlatformInfo(windows('Amazon EC2', 'm5.large', { smbios }));
    expect([machine.dmi('sys_vendor'), machine.dmi('product_uuid')]).toEqual(['Amazon EC2', '']);
  },
);

test("CloudStack's virtual router is who gave the lease", async () => {
  const lease = (address: string) => `    DhcpServer    REG_SZ    ${address}\r\n`;
  const network = `HKEY_LOCAL_MACHINE\\X\r\n${lease('255.255.255.255')}\r\n${lease('10.1.1.1')}`;
  expect(await virtualRouters(windows('', '', { network }))).toEqual(['10.1.1.1']);
});

/** As Windows calls them on SCSI of QEMU, IDE of QEMU, SATA of VMware, and in Hyper-V's first generation. */
const DISC = '\\??\\SCSI#CdRom&Ven_QEMU&Prod_QEMU_DVD-ROM#4&35424867&0&010000#{53f5630d}';
const QEMU_IDE =
  '\\??\\IDE#CdRomQEMU_QEMU_DVD-ROM_______________________2.5+____#5&2E3F35A7&0&0.1.0#{53f5630d}';
const VMWARE =
  '\\??\\IDE#CdRomNECVMWar_VMware_SATA_CD00_______________1.00____#6&373888B8&0&1.0.0#{53f5630d}';
const HYPER_V =
  '\\??\\IDE#CDROMMSFT_VIRTUAL_CD/ROM_____________________1.0_____#5&CFB56DE&0&1.0.0#{53f5630d}';
const NOCLOUD = { 'L:/user-data': '#cloud-config', 'L:/meta-data': 'instance-id: i-1\n' };
const CONFIG_DRIVE = {
  'D:/openstack/latest/meta_data.json': '{"uuid": "i-1"}',
  'D:/openstack/latest/user_data': '#cloud-config',
};

async function askedFor(name: string, files: Shown['files'] & {}, drives: Shown['drives'] & {}) {
  const machine = await readPlatformInfo(windows('QEMU', 'Standard PC', { files, drives }));
  const load = await SOURCES.find((row) => row.name === name)?.load();
  return load?.({
    ...{ machine, settings: { datasource: {} }, patienceMs: 1, isChosen: false },
    offerNetwork: () => undefined,
  });
}

test.each([
  ['opennebula', { 'D:/context.sh': "USER_DATA='#cloud-config'\nVMID='7'\n" }, { D: DISC }],
  ['ovf', { 'E:/ovf-env.xml': OVF }, { E: DISC }],
  ['nocloud', NOCLOUD, { L: DISC }],
  ['configdrive', CONFIG_DRIVE, { D: DISC }],
  ['configdrive', CONFIG_DRIVE, { D: QEMU_IDE }],
  ['nocloud', NOCLOUD, { L: VMWARE }],
  ['ovf', { 'E:/ovf-env.xml': OVF }, { E: HYPER_V }],
  ['nocloud', NOCLOUD, { D: 'DATA', L: ' Volume in drive L is CIDATA' }],
  ['configdrive', CONFIG_DRIVE, { D: ' Volume in Laufwerk D: hat die Bezeichnung config-2' }],
])('%s is found on a disc, or by its label: %j %j', async (name, files, drives) => {
  const found = { kind: 'found', userData: Buffer.from('#cloud-config') };
  expect(await askedFor(name, files, drives)).toMatchObject(found);
});

test.each([
  ['opennebula', { 'D:/context.sh': "USER_DATA='#cloud-config'\nVMID='7'\n" }],
  ['ovf', { 'D:/ovf-env.xml': OVF }],
  ['nocloud', { 'D:/user-data': '#cloud-config', 'D:/meta-data': 'instance-id: i-1\n' }],
  ['configdrive', CONFIG_DRIVE],
])('what an ordinary user lays on a data drive is none of %s', async (name, files) => {
  for (const label of [' Volume in drive D is Data', ' Volume in drive D has no label.'])
    expect(await askedFor(name, files, { D: label })).toMatchObject({ kind: 'not-mine' });
});
