import type { Random } from '../random.ts';
import type { Mutation } from './bytes.ts';

const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    0.5,
    2 ** 31,
    2 ** 53,
    -(2 ** 53),
    1e300,
    '',
    ' ',
    'x',
    '\0',
    '\u{d800}',
    '\u{202e}x',
  ],
  ...[
    [],
    {},
    [[]],
    [null],
    [1],
    [{}],
    { a: 1 },
    { length: 3 },
    { reveal: 1 },
    '0',
    'null',
    '1e400',
    'a'.repeat(5_000),
  ],
];
const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'length', '', 'type', 'id', 'x'];

interface Place {
  holder: Record<string, unknown> | unknown[];
  key: string | number;
}

function places(value: unknown, into: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return into;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const holder = value as Place['holder'];
    into.push({ holder, key });
    places((holder as Record<string | number, unknown>)[key], into);
  }
  return into;
}

/** Changes one value of JSON, so that the rest stays well formed and the change gets far. */
function change(value: unknown, random: Random): void {
  const all = places(value);
  if (all.length === 0) return;
  const { holder, key } = random.pick(all);
  const target = holder as Record<string | number, unknown>;
  const put = (name: string | number, item: unknown) =>
    Object.defineProperty(target, name, {
      value: item,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  const elsewhere = random.pick(all);
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete target[key];
      break;
    case 1:
      put(key, structuredClone((elsewhere.holder as Record<string | number, unknown>)[elsewhere.key]));
      break;
    case 2:
      if (Array.isArray(holder)) holder.push(...structuredClone(holder).slice(0, 300));
      else put(random.pick(KEYS), random.pick(VALUES));
      break;
    case 3:
      put(key, [target[key]]);
      break;
    default:
      put(key, random.pick(VALUES));
  }
}

/** The whole text as JSON, or one of its lines. Bytes without JSON stay as they are. */
export const jsonValue: Mutation = (bytes, random) => {
  const text = bytes.toString('utf8');
  const all = [text.trim(), ...text.split('\n')].filter((line) => /^[[{]/.test(line));
  if (all.length === 0 || text.length > 1_000_000) return bytes;
  const line = random.pick(all);
  try {
    const value: unknown = JSON.parse(line);
    for (let times = random.size(3); times > 0; times -= 1) change(value, random);
    return Buffer.from(text.replace(line, () => JSON.stringify(value)));
  } catch {
    // No JSON: the other mutations have it.
    return bytes;
  }
};
