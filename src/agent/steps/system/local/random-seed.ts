import type { Diagnostic } from '../../../document/document.ts';
import type { RandomSeedSettings } from '../../../document/system-settings.ts';
import { printable } from '../../../text/diagnostics.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';
import { machineToWarnOf, type PreviewContext, warningAt } from '../../kind/preview.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

/** Adds to the kernel's random numbers, or to a file, and calls a program that gathers more (cloud-init's `cc_seed_random`). */
export const seedRandom: Work<RandomSeedSettings> = ({ file, data, command, isRequired }) => ({
  onFailure: 'continue',
  run: ({ host, signal }) =>
    attempt(async () => {
      const bytes = data.reveal();
      if (bytes.length > 0) {
        const isDevice = (await host.files.stat(file))?.kind === 'other';
        if (isDevice) await host.files.writeDevice(file, bytes);
        else {
          const present = await host.files.readIfPresent(file);
          const whole = Buffer.concat([present ?? Buffer.alloc(0), bytes]);
          await host.files.write(file, whole, present === undefined ? { mode: 0o600 } : {});
        }
      }
      const [program] = command;
      if (program === undefined) return `${bytes.length} bytes`;
      if ((await host.processes.which(program)) === undefined) {
        if (isRequired)
          throw new StepError('ToolMissing', `The program ${program} of random_seed is not on this machine`);
        return `${bytes.length} bytes; there is no ${program}`;
      }
      await runTool(host, ['env', `RANDOM_SEED_FILE=${file}`, ...command], {
        doing: 'gather random numbers',
        code: 'SystemSettingFailed',
        signal,
      });
      return `${bytes.length} bytes, and ${program}`;
    }),
});

/** A program that this machine has not, and without which the step fails. */
export async function previewRandomSeed(
  specs: readonly RandomSeedSettings[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  const host = machineToWarnOf(context);
  const [program] = specs.flatMap(({ isRequired, command }) => (isRequired ? command : []));
  if (program === undefined || host === undefined) return [];
  if ((await host.processes.which(program)) !== undefined) return [];
  const message = `The program ${printable(program)} of random_seed is not on this machine`;
  return [warningAt(context.document, ['random_seed', 'randomSeed'], 'ToolMissing', message)];
}
