import type { Position } from '../../document/document.ts';
import type { LintInput } from './lint-input.ts';

export type Severity = 'error' | 'warning' | 'note';

/** One kind of mistake in user data. */
export interface Rule {
  /** Stable; pipelines rest on it. */
  id: string;
  severity: Severity;
  /** What is wrong, in a few words. */
  title: string;
  /** What comes of it. */
  why: string;
  remedy: string;
  /** Smallest cloud-configs that the rule finds something in, and nothing. */
  example: { wrong: string; right: string };
  find(seen: LintInput): RuleMatch[];
}

export interface RuleMatch {
  /** What was found, without any value that may be secret. */
  message: string;
  where?: Position | undefined;
  /** Words by which a message of the document's reader is known to say the same; it is left out then. */
  alreadyTold?: string;
}
