import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { isSystemdRunning } from '../../../tools/systemd.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/attempt.ts';
import { setOption } from './sshd-config.ts';

/** sshd's PasswordAuthentication; a running sshd reads its configuration anew. */
export const setPasswordLogin: Work<{ allowed: boolean }> = ({ allowed }) => ({
  onFailure: 'continue',
  run: ({ host, signal }) =>
    attempt(async () => {
      const isNew = await setOption(host, 'PasswordAuthentication', allowed ? 'yes' : 'no');
      if (isNew) await restart(host, signal);
      return isNew ? (allowed ? 'allowed' : 'forbidden') : 'as it was';
    }),
});

async function restart(host: Host, signal: AbortSignal): Promise<void> {
  if (!(await isSystemdRunning(host))) return;
  await runTool(
    host,
    [
      'systemctl',
      'try-restart',
      '--no-block',
      '--job-mode=ignore-dependencies',
      'ssh.service',
      'sshd.service',
    ],
    // A distribution has but one of the two.
    { doing: 'restart sshd', code: 'SystemSettingFailed', accept: [0, 5], signal },
  );
}
