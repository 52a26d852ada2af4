import type { Node } from './expression.ts';

type Then = (at: number) => boolean;
type Matcher = (at: number, then: Then) => boolean;

class TooMany extends Error {}

/**
 * How many characters a backtracking matcher looks at until it has found all matches in `text`, or knows that there is none.
 * It tries what V8 tries, in V8's order, without V8's shortcuts.
 *
 * @returns `limit` where it takes more
 */
export function countSteps(node: Node, { flags }: RegExp, text: string, limit: number): number {
  let steps = 0;
  const groups = new Map<number | string, string>();
  const step = (): void => {
    steps += 1;
    if (steps > limit) throw new TooMany();
  };
  const match = compile(node, { text, groups, step, multiline: flags.includes('m') });
  try {
    for (let start = 0; start <= text.length; ) {
      let end = -1;
      groups.clear();
      step();
      const found = match(start, (at) => {
        end = at;
        return true;
      });
      if (found && !flags.includes('g')) break;
      start = found && end > start ? end : start + 1;
      if (flags.includes('y') && !found) break;
    }
  } catch (error) {
    if (error instanceof TooMany || error instanceof RangeError) return limit;
    throw error;
  }
  return steps;
}

interface Run {
  text: string;
  groups: Map<number | string, string>;
  step(): void;
  multiline: boolean;
}

function compile(node: Node, run: Run): Matcher {
  const { text, step } = run;
  switch (node.kind) {
    case 'sequence':
      return node.items
        .map((item) => compile(item, run))
        .reduceRight<Matcher>(
          (after, first) => (at, then) => first(at, (next) => after(next, then)),
          (at, then) => then(at),
        );
    case 'choice': {
      const ways = node.items.map((item) => compile(item, run));
      return (at, then) => ways.some((way) => way(at, then));
    }
    case 'group': {
      const body = compile(node.body, run);
      return (at, then) =>
        body(at, (next) => {
          for (const key of [node.index, node.name])
            if (key !== undefined) run.groups.set(key, text.slice(at, next));
          return then(next);
        });
    }
    case 'set':
      return (at, then) => {
        step();
        const size = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
        return at < text.length && node.test.test(text.slice(at, at + size)) && then(at + size);
      };
    case 'edge':
      return (at, then) => isAt(node.sign, at, run) && then(at);
    case 'back':
      return (at, then) => {
        step();
        const before = run.groups.get(node.to) ?? '';
        return text.startsWith(before, at) && then(at + before.length);
      };
    case 'look':
      return look(node, run);
    default:
      return repeat(node, run);
  }
}

function look({ body, behind, negative }: Extract<Node, { kind: 'look' }>, run: Run): Matcher {
  const inner = compile(body, run);
  const holds = (at: number): boolean => {
    if (!behind) return inner(at, () => true);
    // From the left instead of from the right: what looks behind is short.
    for (let from = at; from >= Math.max(0, at - 40); from -= 1)
      if (inner(from, (end) => end === at)) return true;
    return false;
  };
  return (at, then) => holds(at) !== negative && then(at);
}

function repeat({ body, min, max, lazy }: Extract<Node, { kind: 'repeat' }>, run: Run): Matcher {
  const inner = compile(body, run);
  const from =
    (count: number): Matcher =>
    (at, then) => {
      const more = () =>
        count < max && inner(at, (next) => (next > at || count < min) && from(count + 1)(next, then));
      if (count < min) return more();
      return lazy ? then(at) || more() : more() || then(at);
    };
  return from(0);
}

function isAt(sign: string, at: number, { text, multiline }: Run): boolean {
  const [before = '', after = ''] = [text[at - 1], text[at]];
  if (sign === '^') return at === 0 || (multiline && before === '\n');
  if (sign === '$') return at === text.length || (multiline && after === '\n');
  return (/\w/.test(before) !== /\w/.test(after)) === (sign === '\\b');
}
