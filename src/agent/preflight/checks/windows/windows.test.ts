import { expect, it } from 'vitest';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { kubeletService } from '../kubernetes/kubelet-service.ts';
import { kubeletPort, listenerOf } from './port.ts';
import { defender, hostNetworkService, pageFile, runtimePipe, systemDrive, windowsName } from './system.ts';

const NETSTAT = `
Aktive Verbindungen

  Proto  Lokale Adresse         Remoteadresse          Status           PID
  TCP    0.0.0.0:10250          0.0.0.0:0              ABHÖREN         1404
  TCP    10.0.0.4:10251         52.1.2.3:443           HERGESTELLT     88
  TCP    [::]:135               [::]:0                 ABHÖREN         900
`;

interface Said {
  services?: Readonly<Record<string, string>>;
  registry?: string;
  netstat?: string;
}

const NONE = { attempted: false, mend: false };

/** A machine whose programs say this; a service that is not named does not exist. */
function windows({ services = {}, registry = '', netstat = '' }: Said): Host {
  const real = createLinuxHost();
  const said = (argv: readonly string[]): { stdout: string; exitStatus: number } => {
    const [program = '', verb = '', name = ''] = argv;
    if (program.endsWith('reg.exe')) return { stdout: registry, exitStatus: 0 };
    if (program.endsWith('netstat.exe')) return { stdout: netstat, exitStatus: 0 };
    const state = services[name];
    if (state === undefined) return { stdout: '', exitStatus: 1060 };
    const start = state === 'DISABLED' ? '4   DISABLED' : '2   AUTO_START';
    const word = state === 'DISABLED' ? '1  STOPPED' : state;
    return {
      stdout:
        verb === 'qc' ? `        START_TYPE         : ${start}\n` : `        STATE              : ${word} \n`,
      exitStatus: 0,
    };
  };
  return {
    ...real,
    platform: 'windows',
    hostname: () => 'a-name-of-more-than-15',
    // A kubelet of the host's is none of this machine's.
    files: { ...real.files, list: async () => [] },
    network: { ...real.network },
    processes: {
      ...real.processes,
      run: async ({ argv }) => ({ ...said(argv), stderr: '', timedOut: false, ms: 1 }),
    },
  };
}

it('says why nothing answers at the pipe', async () => {
  const messages = async (said: Said) =>
    (await runtimePipe.run(windows(said), NONE)).map(({ message }) => message);
  expect(await messages({})).toEqual([expect.stringContaining('there is no service containerd')]);
  expect(await messages({ services: { containerd: '1  STOPPED' } })).toEqual([
    expect.stringContaining('the service containerd is inactive'),
  ]);
});

it('knows a kubelet that nothing will ever start', async () => {
  const codes = async (said: Said) =>
    (await kubeletService.run(windows(said), NONE)).map(({ severity, code }) => [severity, code]);
  expect(await codes({})).toEqual([['fatal', 'KubeletNotStarted']]);
  expect(await codes({ services: { kubelet: 'DISABLED' } })).toEqual([['fatal', 'KubeletNotStarted']]);
  expect(await codes({ services: { kubelet: '1  STOPPED' } })).toEqual([]);
});

it('finds who listens in whatever language, and lets an earlier attempt be', async () => {
  expect(listenerOf(NETSTAT, 10_250)).toBe('1404');
  expect(listenerOf(NETSTAT, 10_251)).toBeUndefined();
  const host = windows({ netstat: NETSTAT });
  expect(await kubeletPort.run(host, NONE)).toMatchObject([{ severity: 'fatal', code: 'PortInUse' }]);
  expect(await kubeletPort.run(host, { ...NONE, attempted: true })).toEqual([]);
});

it('looks at what containers and the boot need of Windows', async () => {
  const codes = async (check: typeof pageFile, said: Said) =>
    (await check.run(windows(said), NONE)).map(({ code }) => code);
  expect(await codes(windowsName, {})).toEqual(['NodeNameInvalid']);
  expect(await codes(hostNetworkService, {})).toEqual(['ProgramMissing']);
  expect(await codes(hostNetworkService, { services: { hns: '1  STOPPED' } })).toEqual([]);
  expect(await codes(pageFile, { registry: '    PagingFiles    REG_MULTI_SZ    \r\n' })).toEqual([
    'SystemSettingFailed',
  ]);
  expect(
    await codes(pageFile, { registry: '    PagingFiles    REG_MULTI_SZ    ?:\\pagefile.sys\r\n' }),
  ).toEqual([]);
  expect(await codes(defender, { services: { WinDefend: '4  RUNNING' } })).toEqual(['SystemSettingFailed']);
  expect(await codes(defender, {})).toEqual([]);
  const excluded = `    ${process.execPath}    REG_DWORD    0x0\r\n`;
  expect(await codes(defender, { services: { WinDefend: '4  RUNNING' }, registry: excluded })).toEqual([]);
});

const TEN_GIB = 10 * 1024 ** 3;

it.each([
  [16, []],
  [14, ["the system's drive has 14 % (1433 MB) free; below 15 % the kubelet removes images"]],
  [9.5, ["the system's drive has 9 % (972 MB) free; below 10 % the kubelet evicts pods"]],
])('says what the kubelet does with %s %% of the drive free', async (percent, expected) => {
  const base = windows({});
  const space = async () => ({ freeBytes: (TEN_GIB * percent) / 100, totalBytes: TEN_GIB });
  const host = { ...base, files: { ...base.files, space } } as Host;
  expect((await systemDrive.run(host, NONE)).map(({ message }) => message)).toEqual(expected);
});
