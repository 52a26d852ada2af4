import type { Node } from './expression.ts';

/** What every class of a pattern is tried with. */
const ALPHABET = [...'a0-A1 ./:="\'\\,_@+x\n\t[]{}()<>!~%$#*;é'];
/** Nothing that a pattern goes on with, also where it has come past a mark. */
const ENDS = ['\u0001', '\n', '"', '`\u0001', ''];

/**
 * Texts that make a pattern try again and again: what comes before each of its repetitions, then what is repeated, `times` times,
 * then something that does not fit. And what it looks for, again and again, never whole.
 */
export function adversaries(node: Node, times: number): string[] {
  const pumps = new Set<string>();
  const prefixes = new Map<string, Set<string>>();
  walk(node, '', (before, repeated) => {
    for (const pump of samples(repeated)) {
      pumps.add(pump);
      const known = prefixes.get(pump) ?? new Set();
      known.add(before);
      prefixes.set(pump, known);
    }
    pumps.add(before);
  });
  const shortest = sample(node);
  for (const length of [1, 2, 4, 8, shortest.length - 1]) pumps.add(shortest.slice(0, Math.max(1, length)));
  const texts: string[] = [];
  for (const pump of pumps) {
    if (pump === '') continue;
    for (const before of new Set(['', ...(prefixes.get(pump) ?? [])])) {
      for (const end of ENDS) texts.push(before + pump.repeat(Math.ceil(times / pump.length)) + end);
    }
  }
  return [...new Set(texts)];
}

function walk(node: Node, before: string, tell: (before: string, repeated: Node) => void): void {
  switch (node.kind) {
    case 'sequence': {
      let so = before;
      for (const item of node.items) {
        walk(item, so, tell);
        so += sample(item);
      }
      return;
    }
    case 'choice':
      for (const item of node.items) walk(item, before, tell);
      return;
    case 'repeat':
      if (node.max > 40) tell(before, node.body);
      walk(node.body, before, tell);
      return;
    case 'group':
    case 'look':
      walk(node.body, before, tell);
      return;
    default:
  }
}

/** Some texts that fit, each by another way through the pattern. */
function samples(node: Node): string[] {
  switch (node.kind) {
    case 'choice':
      return node.items.flatMap(samples).slice(0, 12);
    case 'group':
      return samples(node.body);
    case 'repeat':
      return node.max === 0
        ? ['']
        : samples(node.body).flatMap((one) => [one.repeat(Math.max(node.min, 1)), one.repeat(node.min)]);
    case 'sequence':
      return node.items
        .reduce<string[]>(
          (all, item) => all.flatMap((one) => samples(item).map((next) => one + next)).slice(0, 12),
          [''],
        )
        .slice(0, 12);
    case 'set': {
      const fits = ALPHABET.filter((sign) => node.test.test(sign));
      return fits.length === 0 ? [literal(node.source)] : spread(fits);
    }
    default:
      return [''];
  }
}

/** The first, and others of other kinds. */
function spread(fits: string[]): string[] {
  return [...new Set([fits[0] ?? '', fits.find((sign) => /\W/.test(sign)) ?? '', fits.at(-1) ?? ''])].filter(
    Boolean,
  );
}

function sample(node: Node): string {
  switch (node.kind) {
    case 'repeat':
      return sample(node.body).repeat(Math.min(node.min, 64));
    case 'choice':
      return sample(node.items[0] as Node);
    case 'sequence':
      return node.items.map(sample).join('');
    case 'look':
      return '';
    default:
      return samples(node)[0] ?? '';
  }
}

function literal(source: string): string {
  if (source.length === 1) return source;
  const code = /^\\[xu]\{?([\da-fA-F]+)\}?$/.exec(source)?.[1];
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  return source.startsWith('\\') ? source.slice(1) : '';
}
