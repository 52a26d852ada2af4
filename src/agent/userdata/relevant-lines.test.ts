import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Report } from '../text/report.ts';
import { plainText } from '../text/source-text.ts';
import { type Node, pythonText } from '../text/yaml/node.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import { relevantLines } from './relevant-lines.ts';

const isWanted = (key: string, above?: string) =>
  above === undefined ? key === 'users' || key === 'info' : above !== 'info' || key === 'default_user';

it('keeps what is wanted where it stands', () => {
  const text = `# a
users:
   - default
locale: C # b
info:
   distro: debian
   default_user:
     groups: [adm, "a b"]
     # c
     sudo: ["ALL=(ALL) NOPASSWD:ALL"]
   mirrors:
     - arches: [default]
       failsafe:
         primary: https://deb.debian.org/debian
   name: ssh
`;
  expect(relevantLines(text, isWanted)?.split('\n')).toEqual([
    ...['', 'users:', '   - default', '', 'info:', '   distro: debian', '   default_user:'],
    ...['     groups: [adm, "a b"]', '', '     sudo: ["ALL=(ALL) NOPASSWD:ALL"]', '', '', '', '', '', ''],
  ]);
});

const LINES = [
  ...[
    'users:',
    'info:',
    'a:',
    'a: b',
    '- a',
    '- a: b',
    '- a:',
    'default_user:',
    'default_user: [a, b]',
    'name: ssh',
  ],
  ...[
    'a: "b"',
    "a: 'b # c'",
    'a: b # c',
    'a: [x',
    'a: {}',
    'a: b: c',
    'a: |',
    'text',
    '# a',
    '',
    'a: &b c',
    'a: *b',
    'a: [a,,b]',
  ],
  ...[
    'a: https://b/c',
    'a: 10',
    'a: 2001-99-99',
    'a: =',
    '---',
    '"a": b',
    '<<: a',
    'a : b',
    '- - a',
    'a: "b',
    'a: b\u2028c',
    'a: ~',
    '-',
  ],
];

it('says nothing where what is left out could be wrong, or could mean something for the rest', () => {
  const line = fc
    .tuple(fc.constantFrom(0, 0, 1, 2, 2, 3, 4), fc.constantFrom(...LINES))
    .map(([indent, text]) => ' '.repeat(indent) + text);
  let judged = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 7 }), (lines) => {
      const text = lines.join('\n');
      const less = relevantLines(text, isWanted);
      if (less === undefined) return;
      judged += 1;
      const report = new Report();
      const whole = wantedOf(text, report);
      expect(report.entries.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(wantedOf(less, new Report())).toEqual(whole);
    }),
    { numRuns: 30_000 },
  );
  expect(judged).toBeGreaterThan(1000);
});

it('ends on long lines that are nearly plain', () => {
  for (const unit of [' ', 'b ', 'b, ', 'b,', '[', '"', "'", ':', '- ', 'b:', 'a: b\n', '\n', ' #'])
    for (const text of [
      `a: [b${unit.repeat(20_000)}!`,
      `a: ${unit.repeat(20_000)}!`,
      `${unit.repeat(20_000)}!`,
    ])
      expect(['string', 'undefined']).toContain(typeof relevantLines(text, isWanted));
});

/** What is wanted, with its places. */
function wantedOf(text: string, report: Report): unknown {
  const root = parseYaml(plainText(text), report);
  const below = (node: Node | undefined, above?: string): [string | undefined, Node][] =>
    (node?.kind === 'mapping' ? node.entries : [])
      .map(({ key, value }): [string | undefined, Node] => [pythonText(key), value])
      .filter(([key = '']) => isWanted(key, above));
  return below(root).map(([key, value]) =>
    key === 'info' && value.kind === 'mapping' ? [key, value.where, below(value, key)] : [key, value],
  );
}
