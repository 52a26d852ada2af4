import type { Diagnostic } from '../../../document/document.ts';
import type { Host } from '../../../host/host.ts';
import { printable } from '../../../text/diagnostics.ts';
import { lastLines, runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';
import { machineToWarnOf, missingProgram, type PreviewContext, warningAt } from '../../kind/preview.ts';
import type { Work } from '../../kind/step-kind.ts';
import { eachEntry } from '../../tools/each-entry.ts';
import { kindAt } from '../../tools/places.ts';
import { mountedAt } from './mounted-now.ts';

/** growpart's answer where there is nothing to be had. */
const NO_CHANGE = 1;

/** Lets partitions fill their disks with growpart (cloud-init's `cc_growpart`), at every boot: a disk may have grown. */
export const growThePartitions: Work<{ devices: string[] }> = ({ devices }) => ({
  when: 'every-boot',
  onFailure: 'continue',
  run: (context) =>
    eachEntry(devices, context, async (name) => {
      const { host, signal } = context;
      const device = name.startsWith('/dev/') ? name : (await mountedAt(host, name, signal)).device;
      const { disk, number } = await partitionOf(host, device, signal);
      const result = await runTool(host, ['growpart', disk, number], {
        doing: `grow ${device}`,
        code: 'SystemSettingFailed',
        accept: [0, NO_CHANGE],
        signal,
      });
      if (result.exitStatus === 0) return `${device} grown`;
      if (/NOCHANGE/.test(result.stdout)) return `${device} fills its disk`;
      throw new StepError('SystemSettingFailed', `Cannot grow ${device}: ${lastLines(result).at(-1) ?? ''}`);
    }),
});

async function partitionOf(
  host: Host,
  device: string,
  signal: AbortSignal,
): Promise<{ disk: string; number: string }> {
  const { stdout } = await runTool(
    host,
    ['lsblk', '--noheadings', '--nodeps', '--raw', '-o', 'PKNAME,PARTN,MAJ:MIN', device],
    { doing: `find the disk of ${device}`, code: 'SystemSettingFailed', signal },
  );
  const [parent = '', number = ''] = stdout.trim().split(/\s+/);
  if (!/^\d+$/.test(number))
    throw new StepError('SystemSettingFailed', `${device} is no partition, so nothing of it can grow`);
  return { disk: `/dev/${parent}`, number };
}

/** Partitions that are not there, or that nothing on this machine can grow. */
export async function previewGrowPartitions(
  specs: readonly { devices: string[] }[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  if (host === undefined) return [];
  const keys = ['growpart', 'growPartitions'];
  const missing = await missingProgram(host, context.document, keys, 'growpart', 'no partition grows');
  if (missing.length > 0) return missing;
  const found: Diagnostic[] = [];
  for (const device of specs.flatMap(({ devices }) => devices)) {
    if ((await kindAt(host.files, device)) !== 'nothing') continue;
    const message = `There is no ${printable(device)} on this machine whose partition could grow`;
    found.push(warningAt(context.document, keys, 'SystemSettingFailed', message));
  }
  return found;
}
