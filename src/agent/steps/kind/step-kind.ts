import { digest } from '../../../kit/digest.ts';
import type { PlannedStep, StepKind, StepSpecs } from '../../plan/planned-step.ts';

/**
 * A step with the digest of its content.
 *
 * @param more What else makes it another step.
 */
export function step<Kind extends StepKind>(
  kind: Kind,
  id: string,
  title: string,
  spec: StepSpecs[Kind],
  more?: unknown,
) {
  return { kind, id, title, digest: digest([kind, revealed(spec), more]), spec } as PlannedStep;
}

/** The content for the digest: sensitive values opened, positions in the user data left out. */
function revealed(value: unknown): unknown {
  if (value instanceof Uint8Array || value === null || typeof value !== 'object') return value;
  if ('reveal' in value && typeof value.reveal === 'function') return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'where')
      .map(([key, item]) => [key, revealed(item)]),
  );
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
