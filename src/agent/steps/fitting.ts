import type { Document, ReportEntry } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import type { PlannedStep } from './kind/step-kind.ts';

/** The steps that this machine's system has, and what it lacks. */
export async function fitting(
  host: Pick<Host, 'platform' | 'processes'>,
  document: Document,
  planned: PlannedStep[],
): Promise<{ planned: PlannedStep[]; lacking: ReportEntry[] }> {
  if (host.platform !== 'windows') {
    const settings = document.system?.repositories;
    if (settings === undefined) return { planned, lacking: [] };
    const { lackingForApt } = await import('./system/software/lacking.ts');
    return { planned, lacking: await lackingForApt(host, settings) };
  }
  const { lackingOnWindows, stepsOnWindows } = await import('./on-windows.ts');
  return { planned: stepsOnWindows(planned), lacking: lackingOnWindows(document, planned) };
}
