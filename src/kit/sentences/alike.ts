/** Tells several sentences as one text: what they say alike is said once, and none is left out. */

interface Alike {
  sentence: string;
  /** The other things of which it is true. */
  others: string[];
}

/**
 * @param sentences The first is the one that a person must see; a full stop at the end may be missing.
 * @returns the first, with all other things of which it is true, and what else is said, one sentence of each kind.
 */
export function tellTogether(sentences: readonly string[]): { first: string; also: string } {
  const [own, ...rest] = groupAlike(sentences.map((one) => one.trim().replace(/\.$/, '')));
  if (own === undefined) return { first: '', also: '' };
  const same = own.others.length === 0 ? '' : ` The same is true for ${listed(own.others)}.`;
  const told = rest.map(({ sentence, others }) =>
    others.length === 0 ? sentence : `${sentence} (the same is true for ${listed(others)})`,
  );
  return { first: `${own.sentence}.${same}`, also: told.length === 0 ? '' : ` Also: ${told.join('; ')}.` };
}

/** Sentences that differ in one word alone are told as one. */
function groupAlike(sentences: readonly string[]): Alike[] {
  const groups: Alike[] = [];
  for (const sentence of new Set(sentences)) {
    const same = groups.find((group) => otherWord(group.sentence, sentence) !== undefined);
    if (same === undefined) groups.push({ sentence, others: [] });
    else same.others.push(otherWord(same.sentence, sentence) ?? '');
  }
  return groups;
}

/** "The kernel setting net.ipv4.ip_forward is not 1." */
const LAST_OF_THING = 3;

/** The word of the second in which it differs from the first. */
function otherWord(first: string, second: string): string | undefined {
  const [ours, theirs] = [first.split(' '), second.split(' ')];
  if (ours.length !== theirs.length) return undefined;
  const differ = ours.flatMap((word, at) => (word === theirs[at] ? [] : [[word, theirs[at] ?? ''] as const]));
  const [pair] = differ;
  // What differs further on is what is said of the thing.
  const isThing = ours.findIndex((word, at) => word !== theirs[at]) <= LAST_OF_THING;
  if (pair === undefined || !isThing || ours.length < 3) return undefined;
  const bare = ([a, b]: readonly [string, string]): string => `${withoutMarks(a)} ${withoutMarks(b)}`;
  return differ.every((one) => bare(one) === bare(pair)) ? withoutMarks(pair[1]) : undefined;
}

const withoutMarks = (word: string): string => word.replace(/^["'(]+|["'),.:;]+$/g, '');

const listed = (things: readonly string[]): string =>
  things.length < 2
    ? (things[0] ?? '')
    : `${things.slice(0, -1).join(', ')} and ${things[things.length - 1]}`;
