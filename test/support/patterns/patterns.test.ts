import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adversaries } from './adversaries.ts';
import { countSteps } from './count-steps.ts';
import { parseExpression } from './expression.ts';
import { expressionsBelow } from './literals.ts';

const SRC = join(import.meta.dirname, '../../../src');
const [SHORT, LONG] = [60, 120];
/** Long enough to tell a square from a multiple. */
const LINE = 500;
/** More than any square of such a length. */
const MOST_STEPS = 200_000;
/** Twice the text, so many times the steps: 2 is linear, 4 is quadratic. What lies between comes of short texts. */
const SQUARE = 5.6;

/** The largest growth of steps from texts of a length to texts of twice that. */
function growth(expression: RegExp): { times: number; text: string } {
  const node = parseExpression(expression);
  const [short, long] = [adversaries(node, SHORT), adversaries(node, LONG)];
  let worst = { times: 0, text: '' };
  for (const [index, text] of long.entries()) {
    const steps = countSteps(node, expression, text, MOST_STEPS);
    // Few for its length, whatever a shorter text takes.
    if (steps < text.length * 20) continue;
    if (steps >= MOST_STEPS) return { times: Number.POSITIVE_INFINITY, text };
    const before = short[index] ?? '';
    const times = steps / countSteps(node, expression, before, MOST_STEPS);
    if (text.length > before.length * 1.8 && times > worst.times) worst = { times, text };
  }
  return worst;
}

describe('regular expressions over what others write', () => {
  it.each([
    [/^(a+)+$/, 100],
    [/^(?:a|a)*$/, 100],
    [/^a*a*a*$/, 6],
    [/a+b/, 3],
    [/^(\w+\s?)*:/, 100],
  ])('knows that %s takes long', (expression, least) => {
    expect(growth(expression).times).toBeGreaterThan(least);
  });

  it.each([/^a+b/, /(?<!a)a+b/, /[a-z]{1,8}b/, /"(?:[^"\\]|\\.)*"$/])(
    'knows that %s does not',
    (expression) => {
      expect(growth(expression).times).toBeLessThan(3);
    },
  );

  it('all take at most the square of a text, and the texts are bounded', () => {
    const all = expressionsBelow(SRC);
    expect(all.length).toBeGreaterThan(500);
    const bad = all.flatMap(({ where, expression }) => {
      const { times, text } = growth(expression);
      return times > SQUARE
        ? [`${where} ${expression}: ${times.toFixed(1)} times for ${JSON.stringify(text)}`]
        : [];
    });
    expect(bad).toEqual([]);
  });

  it('take few steps for each sign of a long line, so that a log of such lines is read in seconds', () => {
    // Their texts are an error's, of which there is one, and cut: a quarter of the square at most.
    const allowed = ['(?:": |: )(unexpected EOF', 'hostport ', String.raw`\bv\d\w*`];
    const bad = expressionsBelow(join(SRC, 'agent/diagnosis')).flatMap(({ where, expression }) => {
      if (allowed.some((start) => expression.source.startsWith(start))) return [];
      const node = parseExpression(expression);
      const most = Math.max(
        0,
        ...adversaries(node, LINE).map((text) => countSteps(node, expression, text, MOST_STEPS)),
      );
      return most > LINE * 150 ? [`${where} ${expression}: ${most} steps for ${LINE} signs`] : [];
    });
    expect(bad).toEqual([]);
  });
});
