import type { Diagnostic } from '../../../document/document.ts';
import { printable } from '../../../text/diagnostics.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';
import { machineToWarnOf, missingProgram, type PreviewContext, warningAt } from '../../kind/preview.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';
import { mountedAt, mountedNow } from './mounted-now.ts';

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
        throw new StepError(
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

/** A root file system that nothing on this machine can grow. */
export async function previewGrowRoot(
  _specs: readonly { waits: boolean }[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  const type = host && (await mountedNow(host))?.findLast(({ at }) => at === '/')?.type;
  if (host === undefined || type === undefined) return [];
  const keys = ['resize_rootfs', 'growRoot'];
  const [program] = command(type, '') ?? [];
  if (program !== undefined)
    return missingProgram(host, context.document, keys, program, 'the root file system does not grow');
  const message = `The root file system is of the type ${printable(type)}, which nobody knows how to grow in use`;
  return [warningAt(context.document, keys, 'SystemSettingFailed', message)];
}
