import { expect, it } from 'vitest';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { gatherEvidence } from './gather.ts';

const BEFORE = 'F1122 17:47:11.818945     280 server.go:156] unknown flag: --no-such-flag';
const SINCE = 'E1122 17:47:29.000001     281 server.go:156] written since';

/** Evidence by a journal that has both lines, and how journalctl was asked for each unit. */
async function gathered(since?: Date) {
  const asked: string[] = [];
  const base = createLinuxHost();
  const host: Host = {
    ...base,
    processes: {
      ...base.processes,
      run: async ({ argv }) => {
        if (argv[0] === 'journalctl') asked.push(argv.join(' '));
        const stdout = [BEFORE, SINCE].map((line) => `Nov 22 17:47:30 w1 kubelet[280]: ${line}\n`).join('');
        return { exitStatus: 0, stdout, stderr: '', timedOut: false, ms: 1 };
      },
    },
  };
  const more = since === undefined ? {} : { since };
  const { kubeletLog, runtimeLog } = await gatherEvidence(host, { parts: ['kubelet', 'runtime'], ...more });
  return { kubeletLog, runtimeLog, asked };
}

it('takes nothing of the journal for evidence that was written before the attempt', async () => {
  const since = new Date(2026, 10, 22, 17, 47, 20, 400);
  const { asked, ...logs } = await gathered(since);
  expect(logs).toEqual({ kubeletLog: [SINCE], runtimeLog: [SINCE] });
  // A whole second, and not the next one, so that no line of the attempt is left out.
  const begun = `--since=@${Math.floor(since.getTime() / 1000)}`;
  expect(asked).toEqual([
    expect.stringContaining(`-u kubelet ${begun} -b`),
    expect.stringContaining(`-u containerd -u crio ${begun} -b`),
    expect.stringContaining('-u containerd -u crio -b'),
  ]);
});

it('takes all of this boot where nobody knows when the attempt began', async () => {
  const { asked, ...logs } = await gathered();
  expect(logs).toEqual({ kubeletLog: [BEFORE, SINCE], runtimeLog: [BEFORE, SINCE] });
  expect(asked.join(' ')).not.toContain('--since');
});

it('takes what a runtime that is down has said in its last run, also before the attempt', async () => {
  const base = createLinuxHost();
  const words = ['Starting containerd.service - containerd container runtime...', 'the run before'];
  const last = [words[0], 'containerd: failed to unmarshal TOML', 'containerd.service: Failed with result'];
  const journal = (lines: unknown[]) => lines.map((line) => `Nov 22 17:47:30 w1 containerd[9]: ${line}\n`);
  const told = async (active: string, result: string, other = '') => {
    const unit = `${other}Id=containerd.service\nLoadState=loaded\nActiveState=${active}\nSubState=x\nResult=${result}\nNRestarts=3\nExecMainStatus=1\n`;
    const run: Host['processes']['run'] = async ({ argv }) => {
      const lines = argv.some((word) => word.startsWith('--since')) ? [] : [...words, ...last];
      const stdout = argv[0] === 'systemctl' ? unit : journal(lines).join('');
      return { exitStatus: 0, stdout, stderr: '', timedOut: false, ms: 1 };
    };
    const host: Host = { ...base, processes: { ...base.processes, run } };
    return (await gatherEvidence(host, { parts: ['runtime'], since: new Date() })).runtimeLog;
  };
  expect(await told('activating', 'exit-code')).toEqual(last.slice(1));
  // What runs, or was stopped, has other reasons.
  expect(await told('active', 'success')).toEqual([]);
  expect(await told('inactive', 'success')).toEqual([]);
  const crio =
    'Id=crio.service\nLoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nNRestarts=0\nExecMainStatus=0\n\n';
  expect(await told('activating', 'exit-code', crio)).toEqual([]);
});
