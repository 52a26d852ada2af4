import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import { readPlatformInfo } from '../../../src/agent/platform/platform-info.ts';
import { readDatasourceSettings } from '../../../src/agent/userdata/sources/detection/datasource-settings.ts';
import { SOURCES } from '../../../src/agent/userdata/sources/source-table.ts';
import { unpackedPackage } from '../../lab/lab.ts';

const DMI = '/sys/class/dmi/id';
const dmi = (field: string, value: string) => ({ [`${DMI}/${field}`]: `${value}\n` });
const listed = (...names: string[]) => ({
  '/etc/cloud/cloud.cfg': `datasource_list: [ ${names.join(', ')} ]\n`,
});
const AWS = 'EC2E1916-9099-7CAF-FD21-012345ABCDEF';
const seed = '/var/lib/cloud/seed';

/** Machines by what they show; each is a directory for both programs. */
const MACHINES: Record<string, Record<string, string>> = {
  nothing: {},
  'QEMU without a cloud': {
    ...dmi('sys_vendor', 'QEMU'),
    ...dmi('product_name', 'Standard PC (i440FX + PIIX, 1996)'),
  },
  // Debian 12's wants the serial number to be the same, as AWS has it; later ones do not.
  'AWS on Nitro': { ...dmi('product_uuid', AWS), ...dmi('product_serial', AWS) },
  'AWS on Xen': { '/sys/hypervisor/uuid': 'ec2c6e2f-5fac-4fc7-9c82-74127ec14bbb\n' },
  'nearly AWS': dmi('product_uuid', 'abcd1916-9099-7caf-fd21-012345abcdef'),
  Outscale: { ...dmi('sys_vendor', '3DS Outscale'), ...dmi('product_name', '3DS Outscale VM') },
  'Outscale by half': dmi('product_name', '3DS Outscale VM'),
  Brightbox: dmi('product_serial', 'srv-otuxg.gb1.brightbox.com'),
  ZStack: dmi('chassis_asset_tag', '123456.zstack.io'),
  E24cloud: dmi('sys_vendor', 'e24cloud'),
  'GCE by name': dmi('product_name', 'Google Compute Engine'),
  'GCE by serial number': dmi('product_serial', 'GoogleCloud-8f2e88f'),
  Azure: dmi('chassis_asset_tag', '7783-7084-3265-9085-8269-3286-77'),
  'Nova by name': dmi('product_name', 'OpenStack Nova'),
  'Compute by name': dmi('product_name', 'OpenStack Compute'),
  'Nova by asset tag': dmi('chassis_asset_tag', 'OpenStack Nova'),
  OpenTelekomCloud: dmi('chassis_asset_tag', 'OpenTelekomCloud'),
  HUAWEICLOUD: dmi('chassis_asset_tag', 'HUAWEICLOUD'),
  'SAP CCloud VM': dmi('chassis_asset_tag', 'SAP CCloud VM'),
  Oracle: dmi('chassis_asset_tag', 'OracleCloud.com'),
  Hetzner: dmi('sys_vendor', 'Hetzner'),
  DigitalOcean: dmi('sys_vendor', 'DigitalOcean'),
  UpCloud: dmi('sys_vendor', 'UpCloud'),
  Vultr: dmi('sys_vendor', 'Vultr'),
  'Vultr by its kernel': { '/proc/cmdline': 'quiet vultr\n' },
  'Vultr by its file': { '/etc/vultr': '' },
  Scaleway: dmi('sys_vendor', 'Scaleway'),
  'Scaleway by its kernel': { '/proc/cmdline': 'root=/dev/vda scaleway quiet\n' },
  'Scaleway by its file': { '/var/run/scaleway': '' },
  Exoscale: dmi('product_name', 'Exoscale Compute Platform'),
  CloudStack: dmi('product_name', 'CloudStack KVM Hypervisor'),
  'a seed': { [`${seed}/nocloud/user-data`]: 'x', [`${seed}/nocloud/meta-data`]: 'instance-id: i\n' },
  'half a seed': { [`${seed}/nocloud/user-data`]: 'x' },
  'a seed for NoCloud and AWS': {
    ...{ ...dmi('product_uuid', AWS), ...dmi('product_serial', AWS) },
    ...{ [`${seed}/nocloud-net/user-data`]: 'x', [`${seed}/nocloud-net/meta-data`]: 'instance-id: i\n' },
  },
  'a config drive': { [`${seed}/config_drive/openstack/latest/meta_data.json`]: '{"uuid": "u"}' },
  'a list of one': listed('Ec2'),
  'a list of one and None': listed('GCE', 'None'),
  'a list without the right one': { ...dmi('sys_vendor', 'Hetzner'), ...listed('NoCloud', 'Ec2') },
  'a list with the right one': { ...dmi('sys_vendor', 'Hetzner'), ...listed('NoCloud', 'Hetzner', 'Ec2') },
  'the kernel names it': { ...dmi('sys_vendor', 'Hetzner'), '/proc/cmdline': 'quiet ci.ds=OpenStack\n' },
};

/** The same machines shown to Debian's ds-identify and to Slipway: both must find the same sources, of those that Slipway has. */
export async function compareWithDsIdentify(say: (line: string) => void): Promise<void> {
  const program = join(await unpackedPackage('cloud-init', say), 'usr/lib/cloud-init/ds-identify');
  for (const [name, files] of Object.entries(MACHINES)) {
    const root = mkdtempSync(join(tmpdir(), 'slipway-machine-'));
    try {
      mkdirSync(join(root, DMI), { recursive: true });
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
      assert.deepEqual(await bySlipway(root), await byDsIdentify(program, root), name);
    } finally {
      rmSync(root, { recursive: true });
    }
  }
  say(`${Object.keys(MACHINES).length} machines: the same sources as ds-identify finds`);
}

async function byDsIdentify(program: string, root: string): Promise<string[]> {
  // The real ones would tell of this host.
  const tools = join(root, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'blkid'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(tools, 'systemd-detect-virt'), '#!/bin/sh\necho kvm\n', { mode: 0o755 });
  const env = { PATH_ROOT: root, PATH: `${tools}:${process.env.PATH}` };
  await execa('sh', [program, '--force'], { env, reject: false });
  const text = readFileSync(join(root, 'run/cloud-init/cloud.cfg'), 'utf8');
  const known = new Set(SOURCES.map(({ datasource }) => datasource));
  const list = /datasource_list: \[([^\]]*)\]/.exec(text)?.[1] ?? '';
  return list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => known.has(each))
    .sort();
}

async function bySlipway(root: string): Promise<string[]> {
  const machine = await readPlatformInfo(createLinuxHost({ root }));
  const settings = await readDatasourceSettings(machine);
  const names = settings.list?.filter((name) => name !== 'None');
  const rows = SOURCES.filter(
    ({ datasource }) => datasource && (names === undefined || names.includes(datasource)),
  );
  if (names?.length === 1) return rows.flatMap(({ datasource }) => datasource ?? []);
  const found: string[] = [];
  for (const { datasource = '', recognise, load } of rows) {
    const isThere = recognise
      ? (await recognise(machine, settings)) !== undefined
      : (
          await (
            await load()
          )({ machine, settings, patienceMs: 1, isChosen: false, offerNetwork: () => undefined })
        ).kind !== 'not-mine';
    if (isThere) found.push(datasource);
  }
  return found.sort();
}
