import type { Document } from '../../document/document.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import { planDigest } from '../../steps/plan.ts';

/** The plan for people: each step with what it will do, and nothing that may be secret. */
export function planAsText(document: Document, steps: PlannedStep[]): string {
  const lines = [
    `${document.format} from ${document.instance.source}, ${steps.length} steps, digest ${planDigest(steps)}`,
  ];
  steps.forEach((step, index) => {
    lines.push(
      `${String(index + 1).padStart(3)}  ${step.id.padEnd(14)} ${step.title}  (${step.digest.slice(0, 12)})`,
    );
    for (const detail of step.details) lines.push(`${' '.repeat(20)}${detail}`);
  });
  return `${lines.join('\n')}\n`;
}

/** The same as `slipway plan --output json` prints it. */
export function planAsJson(document: Document, steps: PlannedStep[]): string {
  const plain = {
    format: document.format,
    source: document.instance.source,
    instance: document.instance.id,
    digest: planDigest(steps),
    steps: steps.map((step) => ({
      id: step.id,
      kind: step.kind,
      title: step.title,
      digest: step.digest,
      details: step.details,
    })),
  };
  return `${JSON.stringify(plain, undefined, 2)}\n`;
}
