import { digest } from '../../../kit/digest.ts';
import type { StepOutline } from '../../../protocol/journal.ts';
import type { Diagnostic, Document } from '../../document/document.ts';
import type { Step, StepWork } from '../../engine/step.ts';
import type { PreviewContext } from './preview.ts';
import type { Shared } from './shared.ts';

/**
 * A kind of step: which steps a document asks for, what `slipway plan` tells of one, and how one is done. The
 * plan of every kind is loaded at every start; the work of a kind only where a document has a step of it.
 */
export interface StepKind<Spec, From = Document> {
  /** Stands in digests and in the plan's JSON. */
  name: string;
  plan(from: From): Wanted<Spec>[];
  /** Lines for people, without what may be secret. */
  details?(spec: Spec): string[];
  /**
   * Predicts, before any step runs, what the steps of this kind cannot do or will not do as they seem to. It changes nothing, and
   * it is called once with the specs of all steps of the kind.
   */
  preview?(specs: readonly Spec[], context: PreviewContext): Promise<Diagnostic[]>;
  work(): Promise<Work<Spec>>;
}

/** What the plan of a kind says of one step. */
interface Wanted<Spec> {
  /** The same for the same place in the document. */
  id: string;
  /** A few words for people, free of arguments that could hold a secret. */
  title: string;
  /** All that the step needs; its content decides whether the step is another one. */
  spec: Spec;
  /** What its digest is made of, where that is not the spec as it stands. */
  content?: unknown;
  /** What else makes it another step. */
  more?: unknown;
}

/** How the steps of a kind are done; see `Step` for what each member is for. */
export type Work<Spec> = (spec: Spec, shared: Shared) => StepWork;

/** A step of the plan: data, until it is loaded for the engine. */
export interface PlannedStep extends StepOutline {
  kind: string;
  spec: unknown;
  details: string[];
  /** That of its kind, so the same function for every step of the kind. */
  preview?: ((specs: readonly never[], context: PreviewContext) => Promise<Diagnostic[]>) | undefined;
  load(shared: Shared): Promise<Step>;
}

/** The steps of one kind. */
export function stepsOf<Spec, From>(kind: StepKind<Spec, From>, from: From): PlannedStep[] {
  return kind.plan(from).map(({ id, title, spec, content = spec, more }) => {
    let known: string | undefined;
    const planned: PlannedStep = {
      id,
      title,
      // Large documents have large contents, and a preview needs no digest.
      get digest() {
        known ??= digest([kind.name, revealed(content), more]);
        return known;
      },
      kind: kind.name,
      spec,
      preview: kind.preview,
      get details() {
        return kind.details?.(spec) ?? [];
      },
      load: async (shared) => ({ id, title, digest: planned.digest, ...(await kind.work())(spec, shared) }),
    };
    return planned;
  });
}

/** The same for the engine; what does the steps of a kind is loaded here, and only here. */
export function loadSteps(planned: readonly PlannedStep[], shared: Shared): Promise<Step[]> {
  return Promise.all(planned.map((step) => step.load(shared)));
}

/** The content for the digest: sensitive values opened, positions in the user data left out. */
function revealed(value: unknown): unknown {
  if (value instanceof Uint8Array || value === null || typeof value !== 'object') return value;
  if ('reveal' in value && typeof value.reveal === 'function') return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'where' && key !== 'textAt')
      .map(([key, item]) => [key, revealed(item)]),
  );
}

/** How wide the column of ids is in a list for people. */
export function idWidth(steps: readonly Pick<StepOutline, 'id'>[]): number {
  return Math.max(14, ...steps.map(({ id }) => id.length));
}
