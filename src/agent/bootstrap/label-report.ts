import type { Diagnostic, Document } from '../document/document.ts';
import { stillStarting } from '../startup/starting.ts';
import type { BootstrapOptions } from './options.ts';
import { entryText } from './report-entry.ts';

/** The pause between two looks at what labels need to know of this machine. */
const LOOK_AGAIN_MS = 500;

/** Looks at the machine only if labels ask for it. What a label tells of may come up with its driver. */
export async function labelReport(
  { host, stop, watcher }: Pick<BootstrapOptions, 'host' | 'stop' | 'watcher'>,
  document: Document,
): Promise<Diagnostic[]> {
  if ((document.node?.labels ?? []).length === 0) return [];
  const { labelProblems } = await import('../facts/judge/machine-labels.ts');
  for (let isTold = false; ; isTold = true) {
    const problems = await labelProblems(host, document);
    const missing = problems.find(({ code }) => code === 'UserDataTemplate');
    const starting = missing && (await stillStarting(host, 'MachineNotAsExpected'));
    if (missing === undefined || starting === undefined || stop.aborted) return problems;
    if (!isTold) watcher.output(`slipway: ${entryText(missing)} Looking again: ${starting}`, 'stderr');
    await host.clock.sleep(LOOK_AGAIN_MS, stop).catch(() => undefined);
  }
}
