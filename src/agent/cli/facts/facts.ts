import { UsageError } from '../../../kit/errors.ts';
import { visibleTexts } from '../../../kit/terminal/visible.ts';
import { createHost } from '../../create-host.ts';
import { gatherFacts } from '../../facts/gather.ts';
import type { Files } from '../../host/files.ts';
import { HostError } from '../../host/host.ts';
import { formatOption, rootOption, withUsageErrors } from '../options/options.ts';
import { columnsOf } from '../text/live-line.ts';
import { factsText } from './facts-text.ts';

export interface FactsFlags {
  root: string;
  output: string;
}

/** `slipway facts`: 0, however much of the machine can be read; 2 when the arguments are wrong. */
export function factsCommand(flags: FactsFlags): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOption(flags.output);
    const root = rootOption(flags.root);
    const host = createHost({ root });
    host.stayLean();
    if (!(await isDirectory(host.ownFiles, root)))
      throw new UsageError(`--root ${flags.root}: there is no such directory`);
    const facts = visibleTexts(await gatherFacts(host));
    // Into a file or a pipe everything goes.
    const room = process.stdout.isTTY ? columnsOf(process.stdout) : undefined;
    process.stdout.write(
      format === 'json' ? `${JSON.stringify(facts, undefined, 2)}\n` : factsText(facts, room),
    );
    return 0;
  });
}

/** A link to one is one too: what was captured may lie elsewhere. */
async function isDirectory(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.stat(await files.real(path)))?.kind === 'directory';
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}
