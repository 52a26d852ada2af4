import { visibleTexts } from '../../../kit/terminal/visible.ts';
import { gatherFacts } from '../../facts/gather.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { formatOption, pathOption, withUsage } from '../options/options.ts';
import { columnsOf } from '../text/live-line.ts';
import { factsText } from './facts-text.ts';

export interface FactsFlags {
  root: string;
  output: string;
}

/** `slipway facts`: 0, however much of the machine can be read; 2 when the arguments are wrong. */
export function factsCommand(flags: FactsFlags): Promise<number> {
  return withUsage(async () => {
    const format = formatOption(flags.output);
    const host = createLinuxHost({ root: pathOption('root', flags.root) });
    host.stayLean();
    const facts = visibleTexts(await gatherFacts(host));
    // Into a file or a pipe everything goes.
    const room = process.stdout.isTTY ? columnsOf(process.stdout) : undefined;
    process.stdout.write(
      format === 'json' ? `${JSON.stringify(facts, undefined, 2)}\n` : factsText(facts, room),
    );
    return 0;
  });
}
