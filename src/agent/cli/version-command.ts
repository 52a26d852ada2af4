import { formatOption, withUsage } from './options/options.ts';
import { versionText } from './process/version.ts';

/** `slipway version`, where its words have to be read with care (see `versionAnswer`). */
export function versionCommand({ output }: { output: string }): Promise<number> {
  return withUsage(async () => {
    process.stdout.write(`${versionText(formatOption(output) === 'json')}\n`);
    return 0;
  });
}
