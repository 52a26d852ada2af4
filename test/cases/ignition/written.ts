import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ignitionValidator } from '../../lab/lab.ts';
import { compared } from './trees.ts';
import { isRefused } from './verdicts.ts';

/** What only a machine can take: the trees are directories. */
const NEEDS_MACHINE = ['disks', 'raid', 'luks', 'filesystems'];

/** Configs as people write them, judged by ignition-validate and Slipway, and applied by Ignition and Slipway. */
export async function written(say: (line: string) => void): Promise<void> {
  const validator = await ignitionValidator(say);
  const configs = load(readFileSync(join(import.meta.dirname, 'written.yaml'), 'utf8')) as Record<
    string,
    object
  >[];
  const counts = { refused: 0, applied: 0, failed: 0 };
  for (const config of configs) {
    const text = JSON.stringify(config, undefined, 1);
    if (await isRefused(validator, text)) counts.refused += 1;
    else if (!('passwd' in config) && !('kernelArguments' in config) && !needsMachine(config))
      counts[(await compared(text)) ? 'applied' : 'failed'] += 1;
  }
  say(
    `${configs.length} configs as people write them: ${counts.refused} refused by both, ${counts.applied} applied alike, ${counts.failed} fail with both`,
  );
}

const needsMachine = ({ storage = {} }: Record<string, object>): boolean =>
  NEEDS_MACHINE.some((section) => section in storage);
