import { ExpectedError } from '../../../kit/errors.ts';

/**
 * How a part is merged into the parts before it, as `Merge-Type` and `merge_how` say it:
 * `list(append)+dict(no_replace)`.
 */

const KINDS = ['dict', 'list', 'str'] as const;
type MergedKind = (typeof KINDS)[number];

/** Options by kind; a kind that is not named is not merged. */
export type Strategy = Partial<Record<MergedKind, ReadonlySet<string>>>;

/**
 * What cloud-init does where a part says nothing: a later part's top-level key takes the place of an earlier
 * one's.
 */
export const DEFAULT_STRATEGY: Strategy = { dict: new Set(['replace']), list: new Set(), str: new Set() };

/** A way of merging that cannot be gone; the message says what it does. */
export class StrategyError extends ExpectedError {
  override readonly name = 'StrategyError';
}

/** @throws StrategyError naming what cannot be read. */
export function parseStrategy(text: string): Strategy {
  const strategy: Strategy = {};
  for (const word of text.split('+')) {
    const plain = word.trim().toLowerCase();
    if (plain === '') continue;
    const match = /^([a-z_-][a-z0-9_-]*)\((.*?)\)$/.exec(plain);
    if (match === null) throw new StrategyError('is not of the form list(append)+dict(recurse_list)+str()');
    add(strategy, match[1] ?? '', (match[2] ?? '').split(','));
  }
  return strategy;
}

/**
 * The first mention of a kind counts, as in cloud-init. @throws StrategyError for a kind that there is not.
 */
export function add(strategy: Strategy, name: string, options: readonly string[]): void {
  const kind = KINDS.find(
    (known) =>
      known ===
      name
        .trim()
        .toLowerCase()
        .replace(/^m[_-]/, ''),
  );
  if (kind === undefined) throw new StrategyError('names something else than list, dict and str');
  strategy[kind] ??= new Set(options.map((option) => option.trim().toLowerCase()).filter(Boolean));
}
