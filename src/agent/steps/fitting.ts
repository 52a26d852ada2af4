import type { Document, ReportEntry } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { windowsForm } from '../text/scripts.ts';
import type { PlannedStep } from './kind/step-kind.ts';

/** The steps that this machine's system has, and what it lacks. */
export async function fitting(
  host: Pick<Host, 'platform' | 'processes'>,
  document: Document,
  planned: PlannedStep[],
): Promise<{ planned: PlannedStep[]; lacking: ReportEntry[] }> {
  if (host.platform !== 'windows') {
    const foreign = forWindows(document);
    const settings = document.system?.repositories;
    if (settings === undefined) return { planned, lacking: foreign };
    const { lackingForApt } = await import('./system/software/lacking.ts');
    return { planned, lacking: [...foreign, ...(await lackingForApt(host, settings))] };
  }
  const { lackingOnWindows, stepsOnWindows } = await import('./on-windows.ts');
  return { planned: stepsOnWindows(planned), lacking: lackingOnWindows(document, planned) };
}

/** An error for each script that only Windows can run. */
function forWindows({ commands }: Document): ReportEntry[] {
  return commands.flatMap((entry): ReportEntry[] => {
    if (entry.kind !== 'command' || windowsForm(entry.shell.reveal()) === undefined) return [];
    const message =
      'This script is for Windows, and this machine is none; begin it with #!/bin/sh, or write a cloud-config';
    return [
      { severity: 'error', code: 'UserDataInvalid', message, ...(entry.where ? { where: entry.where } : {}) },
    ];
  });
}
