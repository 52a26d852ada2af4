import type { Diagnostic } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import type { PreviewContext } from './kind/preview.ts';
import type { PlannedStep } from './kind/step-kind.ts';
import { lackingOnWindows, stepsOnWindows } from './on-windows.ts';

/** The planned steps that are done on this platform; the others are left to cloudbase-init. */
export function stepsForPlatform(
  { platform }: Pick<Host, 'platform'>,
  planned: PlannedStep[],
): PlannedStep[] {
  return platform === 'windows' ? stepsOnWindows(planned) : planned;
}

/**
 * Runs the previews of all planned steps: what is known before any of them runs. An error where the bootstrap would be in vain,
 * a warning where the rest is done all the same.
 */
export async function preview(
  planned: readonly PlannedStep[],
  context: PreviewContext,
): Promise<Diagnostic[]> {
  if (context.host?.platform === 'windows') return lackingOnWindows(context.document, planned);
  const specsOf = new Map<NonNullable<PlannedStep['preview']>, unknown[]>();
  for (const { preview, spec } of planned) {
    if (preview === undefined) continue;
    const specs = specsOf.get(preview) ?? [];
    specs.push(spec);
    specsOf.set(preview, specs);
  }
  const found: Diagnostic[] = [];
  for (const [previewKind, specs] of specsOf) found.push(...(await previewKind(specs as never[], context)));
  return found;
}
