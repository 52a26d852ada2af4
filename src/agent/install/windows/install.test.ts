import { expect, it } from 'vitest';
import type { FileStat } from '../../host/files.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { checkWindowsImage } from './check-windows-image.ts';
import { installOnWindows } from './install.ts';
import { PROGRAM } from './layout.ts';

const FOLDER: FileStat = { kind: 'directory', size: 0, mode: 0o700, uid: 0, gid: 0 };

/** A machine on which Slipway's folder is there, or not, and PowerShell says that of its owners. */
function machine(there: FileStat | undefined, said = '') {
  const done: unknown[] = [];
  const real = createLinuxHost({ root: '/nothing' });
  const host = {
    ...real,
    root: '/',
    files: {
      ...real.files,
      stat: async (path: string) => (path === '/var/lib/slipway' ? there : undefined),
      mkdir: async (...of: unknown[]) => void done.push(of),
      setAttributes: async (...of: unknown[]) => void done.push(of),
    },
    processes: { ...real.processes, run: async () => ({ exitStatus: 0, stdout: said, stderr: '' }) as never },
  };
  const wishes = { shim: false, service: false, report: false, version: '0', self: PROGRAM };
  return { done, host, install: () => installOnWindows(host, wishes) };
}

it('makes the folder of its state, before an ordinary user does', async () => {
  const { done, install } = machine(undefined);
  expect(await install()).toEqual([`${PROGRAM} is this program`]);
  expect(done).toEqual([['/var/lib/slipway', 0o700]]);
});

it('takes one that administrators have made from all others', async () => {
  const { done, install } = machine(FOLDER, '\ufeff{"foreign":[]}\r\n');
  expect(await install()).toEqual([`${PROGRAM} is this program`]);
  expect(done).toEqual([['/var/lib/slipway', { mode: 0o700, uid: 0, gid: 0 }]]);
});

it.each([
  '{"foreign":[{"path":"C:\\\\ProgramData\\\\slipway\\\\etc","owner":"S-1-5-21-1-2-3-1001"}]}',
  '{"foreign":{"path":"C:\\\\ProgramData\\\\slipway\\\\etc","owner":"S-1-5-21-1-2-3-1001"}}',
])("refuses one in which something is an ordinary user's: %s", async (said) => {
  const { host, install } = machine(FOLDER, said);
  await expect(install()).rejects.toThrow(
    /^C:\\ProgramData\\slipway\\etc belongs to S-1-5-21-1-2-3-1001: whoever .* remove it \(rmdir \/s C:\\ProgramData\\slipway\)/,
  );
  const whose = (await checkWindowsImage(host)).find(({ text }) => text.includes('belongs to'));
  expect(whose).toMatchObject({ ok: false, text: expect.stringContaining('S-1-5-21-1-2-3-1001') });
});

it('refuses what an ordinary user made while it was made, a link, and what shuts administrators out', async () => {
  const etc = 'C:\\ProgramData\\slipway\\etc';
  const said = (of: object) => JSON.stringify({ foreign: [{ path: etc, owner: '', link: false, ...of }] });
  await expect(machine(undefined, said({ owner: 'S-1-5-21-1-2-3-1001' })).install()).rejects.toThrow(
    /etc belongs to S-1-5-21-1-2-3-1001: whoever .*\(icacls .* \/setowner/,
  );
  await expect(machine(FOLDER, said({ link: true })).install()).rejects.toThrow(/etc is a link: whoever/);
  await expect(machine(FOLDER, said({})).install()).rejects.toThrow(/nobody may see whose .*etc is: whoever/);
});

it('refuses a link in its place, and says where nobody tells whose it is', async () => {
  await expect(machine({ ...FOLDER, kind: 'symlink' }).install()).rejects.toThrow(
    /is no folder.*symlink: remove it/,
  );
  for (const said of ['', '{"foreign":null}', 'It is not recognized'])
    expect((await machine(FOLDER, said).install())[0]).toMatch(
      /^WARNING: .*PowerShell does not say whose it is/,
    );
});
