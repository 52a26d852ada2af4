import { expect, it } from 'vitest';
import type { Host } from './host.ts';
import { createLinuxHost } from './linux/host.ts';
import { showUnits } from './show-units.ts';

const query = (state: string, exit: string) => `
SERVICE_NAME: kubelet
        TYPE               : 10  WIN32_OWN_PROCESS
        STATE              : ${state}
                                (STOPPABLE, NOT_PAUSABLE, ACCEPTS_PRESHUTDOWN)
        WIN32_EXIT_CODE    : ${exit}
        SERVICE_EXIT_CODE  : 0  (0x0)
        CHECKPOINT         : 0x0
        WAIT_HINT          : 0x0
`;
const config = (start: string) => `[SC] QueryServiceConfig SUCCESS

SERVICE_NAME: kubelet
        TYPE               : 10  WIN32_OWN_PROCESS
        START_TYPE         : ${start}
        BINARY_PATH_NAME   : C:\\k\\nssm.exe
`;

function windows(said: { query: string; qc?: string; status?: number }): Host {
  const real = createLinuxHost();
  return {
    ...real,
    platform: 'windows',
    processes: {
      ...real.processes,
      run: async ({ argv }) => ({
        exitStatus: said.status ?? 0,
        stdout: (argv[1] === 'query' ? said.query : said.qc) ?? '',
        stderr: '',
        timedOut: false,
        ms: 1,
      }),
    },
  };
}

const ask = async (host: Host) => {
  const [unit] = (await showUnits(host, ['kubelet.service'], [], 1000)) ?? [];
  return unit && Object.fromEntries(unit);
};

it.each([
  ['4  RUNNING ', '0  (0x0)', '2   AUTO_START', { LoadState: 'loaded', ActiveState: 'active', Job: '0' }],
  ['2  START_PENDING ', '0  (0x0)', '2   AUTO_START  (DELAYED)', { ActiveState: 'activating' }],
  ['1  STOPPED ', '1077  (0x435)', '2   AUTO_START', { ActiveState: 'inactive', Job: '1' }],
  ['1  STOPPED ', '1077  (0x435)', '3   DEMAND_START', { ActiveState: 'inactive', Job: '0' }],
  ['1  STOPPED ', '1053  (0x41d)', '2   AUTO_START', { ActiveState: 'failed', ExecMainStatus: '1053' }],
  ['1  STOPPED ', '0  (0x0)', '4   DISABLED', { LoadState: 'masked', ActiveState: 'inactive' }],
])('reads %s, %s and %s as systemd would say it', async (state, exit, start, expected) => {
  expect(await ask(windows({ query: query(state, exit), qc: config(start) }))).toMatchObject(expected);
});

it('knows a service that is not there from a service manager that says nothing', async () => {
  const said = '[SC] EnumQueryServicesStatus:OpenService FAILED 1060:\n';
  expect(await ask(windows({ query: said, status: 1060 }))).toEqual({
    Id: 'kubelet.service',
    LoadState: 'not-found',
  });
  expect(await ask(windows({ query: '', status: 127 }))).toBeUndefined();
});
