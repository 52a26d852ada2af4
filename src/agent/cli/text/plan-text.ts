import { counted } from '../../../kit/counted.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import type { Document, ReportEntry } from '../../document/document.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import { planDigest } from '../../steps/plan.ts';

/** Cuts the document's secrets out of a text. */
type Hide = (text: string) => string;

/**
 * The plan for people: each step with what it will do, and nothing that may be secret. Whoever wrote the user data does
 * not get to steer the terminal.
 */
export function planAsText(document: Document, steps: PlannedStep[], hide: Hide): string {
  const { format, instance } = document;
  const lines = [
    `${format} from ${visible(instance.source)}, ${counted(steps.length, 'step')}, digest ${planDigest(steps)}`,
  ];
  steps.forEach((step, index) => {
    const number = String(index + 1).padStart(3);
    lines.push(
      `${number}  ${step.id.padEnd(14)} ${visible(step.title)}  (${step.digest.slice(0, 12)})`,
      ...step.details.map((detail) => `${' '.repeat(20)}${visible(hide(detail).replaceAll('\t', '    '))}`),
    );
  });
  return `${lines.join('\n')}\n`;
}

/** What `slipway plan --output json` prints; without steps where the user data has errors, which `report` tells. */
export function planAsJson(
  { format, instance }: Document,
  report: readonly ReportEntry[],
  steps: PlannedStep[] | undefined,
  hide: Hide,
): unknown {
  return {
    format,
    source: instance.source,
    instance: instance.id,
    report,
    ...(steps === undefined
      ? {}
      : {
          digest: planDigest(steps),
          steps: steps.map(({ id, kind, title, digest, details }) => ({
            ...{ id, kind, title, digest },
            details: details.map(hide),
          })),
        }),
  };
}
