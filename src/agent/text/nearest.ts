import { editDistance } from '../../kit/edit-distance.ts';

/** Longer words are no slip of a short one, and would take long to compare. */
const LONGEST = 40;

/**
 * The known word that another was probably meant to be: the same but for case, hyphens and one or two letters.
 *
 * @returns undefined where none is near, or two are as near
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const bare = (text: string): string => text.toLowerCase().replace(/[-_ ]/g, '');
  const from = bare(word);
  const slips = from.length < 6 ? 1 : 2;
  const near = [...known]
    .filter((each) => Math.abs(each.length - word.length) <= slips + 2)
    .map((each) => ({ each, distance: editDistance(from, bare(each)) }))
    .filter(({ distance }) => distance <= slips)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.distance === near[1]?.distance ? undefined : near[0]?.each;
}
