import { expect, test } from 'vitest';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import type { CommandResult } from '../../../host/processes.ts';
import { openGuestRpc } from '../channels/guest-rpc.ts';
import { SOURCES } from '../table.ts';
import { readMachine } from './machine.ts';

const TOOL = 'C:\\Program Files\\VMware\\VMware Tools\\rpctool.exe';

/** A Windows machine whose firmware says this; `tools`: what VMware's tool answers, by its words. */
function windows(vendor: string, product: string, tools: Readonly<Record<string, string>> = {}): Host {
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
      stat: async (path) => (path === TOOL ? ({ kind: 'file' } as never) : undefined),
    },
    processes: {
      ...real.processes,
      run: async ({ argv: [program, ...words] }) => {
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
  const machine = await readMachine(windows(vendor, product));
  const shown: string[] = [];
  for (const { name, recognise } of SOURCES)
    if ((await recognise?.(machine, { datasource: {} })) !== undefined) shown.push(name);
  expect(shown).toEqual(names);
});

test("guestinfo is asked by VMware's tool for Windows, which takes one word", async () => {
  const rpc = await openGuestRpc(windows('VMware, Inc.', '', { 'info-get guestinfo.userdata': 'YQ==' }));
  expect(rpc?.tool).toBe(TOOL);
  expect(await rpc?.get('userdata')).toBe('YQ==');
  expect(await rpc?.get('vendordata')).toBeUndefined();
});
