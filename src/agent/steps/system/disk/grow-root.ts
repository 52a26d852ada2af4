import { Problem } from '../../../tools/problem.ts';
import { runTool } from '../../../tools/tool.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/attempt.ts';
import { mountedAt } from './root-device.ts';

/** Lets the root file system fill its partition, at every boot as cloud-init does (`cc_resizefs`). */
export const growTheRoot: Work<{ waits: boolean }> = ({ waits }) => ({
  when: 'every-boot',
  onFailure: 'continue',
  run: ({ host, signal }) =>
    attempt(async () => {
      const { device, filesystem } = await mountedAt(host, '/', signal);
      const argv = command(filesystem, device);
      const doing = `grow the ${filesystem} on ${device}`;
      if (argv === undefined)
        throw new Problem(
          'SystemSettingFailed',
          `Cannot ${doing}: nobody knows how to grow one that is in use`,
        );
      // It may take minutes, and may go on beside the rest.
      const whole: [string, ...string[]] = waits
        ? argv
        : ['sh', '-c', 'setsid "$@" >/dev/null 2>&1 </dev/null &', 'sh', ...argv];
      await runTool(host, whole, { doing, code: 'SystemSettingFailed', timeoutMs: 1_800_000, signal });
      return waits ? `${device} grown` : `${device} is growing`;
    }),
});

function command(filesystem: string, device: string): [string, ...string[]] | undefined {
  if (/^ext[234]$/.test(filesystem)) return ['resize2fs', device];
  if (filesystem === 'xfs') return ['xfs_growfs', '/'];
  return filesystem === 'btrfs' ? ['btrfs', 'filesystem', 'resize', 'max', '/'] : undefined;
}
