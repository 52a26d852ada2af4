import type { Document, ReportEntry } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import type { PlannedStep } from './kind/step-kind.ts';

/** The steps that this machine's system has, and what it lacks. */
export async function fitting(
  { platform }: Pick<Host, 'platform'>,
  document: Document,
  planned: PlannedStep[],
): Promise<{ planned: PlannedStep[]; lacking: ReportEntry[] }> {
  if (platform !== 'windows') return { planned, lacking: [] };
  const { lackingOnWindows, stepsOnWindows } = await import('./on-windows.ts');
  return { planned: stepsOnWindows(planned), lacking: lackingOnWindows(document, planned) };
}
