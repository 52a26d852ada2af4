import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isWhole } from './whole-command.ts';

it.each([
  'systemctl enable --now kubelet',
  `echo "$HOSTNAME is $\{name}" >> /etc/hosts`,
  "sed -i 's/a b;c|d/&/' /etc/fstab && swapoff -a || true",
  'for i in 1 2 3; do echo $i; done > /var/lib/a',
  'for f in /etc/a/*\ndo\ncat $f; for g in $f; do touch "$g"; done\ndone; sync',
  'A=b command -v kubeadm >/dev/null 2>&1;',
  'cat < /etc/hostname | tr a b 2>/dev/null',
])('knows the whole command %s', (text) => expect(isWhole(text)).toBe(true));

it.each([
  ...[
    '',
    'echo "a',
    "echo 'a",
    'echo a)',
    '(a)',
    'a &',
    'a &&',
    'a |',
    '; a',
    'a;; b',
    'echo $(a)',
    'echo `a`',
  ],
  ...[
    'if a; then b; fi',
    'fi',
    'done',
    'a; done',
    'for a in b; do c',
    'for a in b > c; do d; done',
    'for 1 in a; do b; done',
  ],
  ...[
    'for a in b; do; done',
    'for a in b; do c; done d',
    'a > ',
    'a > > b',
    'a << b',
    'a <(b)',
    'a \\',
    'a[',
    '{ a; }',
    'a # b',
  ],
  ...[
    'for a in b do c; done',
    'case a in b) c;; esac',
    'time a',
    '! a',
    'a > & b',
    'do a',
    'a | | b',
    'a\n\n&& b',
    'gr\u00fc\u00df',
  ],
])('says nothing of %j', (text) => expect(isWhole(text)).toBe(false));

const PARTS = [
  ...[
    'for',
    'in',
    'do',
    'done',
    'if',
    'then',
    'fi',
    'a',
    'i',
    '$i',
    '"$i b"',
    "'c;d'",
    'x=1',
    '/etc/a',
    '*',
    '2',
    '=',
    '$#',
  ],
  ...[
    ';',
    ';',
    '\n',
    '&&',
    '||',
    '|',
    '>',
    '>>',
    '<',
    '2>&1',
    '2>',
    '"',
    "'",
    '$',
    '!',
    '&',
    '(',
    ')',
    '\\',
    '#',
    '{',
    '}',
    ' ',
  ],
];

it('calls nothing whole that a shell cannot read', () => {
  const shells = ['/bin/sh', '/bin/bash'].filter((path) => existsSync(path));
  expect(shells.length).toBeGreaterThan(0);
  const whole: string[] = [];
  const word = fc.constantFrom(...PARTS);
  const glued = fc.tuple(word, fc.constantFrom(' ', ' ', ' ', '')).map(([part, blank]) => part + blank);
  const loop = fc
    .tuple(fc.array(glued, { maxLength: 4 }), fc.array(glued, { maxLength: 4 }))
    .map(([words, body]) => `for i in ${words.join('')}; do ${body.join('')}; done `);
  const texts = fc.array(fc.oneof({ weight: 5, arbitrary: glued }, loop), { minLength: 1, maxLength: 6 });
  for (const text of fc.sample(
    texts.map((parts) => parts.join('')),
    60_000,
  ))
    if (isWhole(text)) whole.push(text);
  const different = [...new Set(whole)];
  expect(different.length).toBeGreaterThan(1000);
  for (const shell of shells) {
    // All at once, as functions, which end each text; one by one only to say which it was.
    const script = different.map((text, at) => `f${at}() {\n${text}\n}\n`).join('');
    if (spawnSync(shell, ['-n'], { input: script }).status === 0) continue;
    const unread = different.filter((text) => spawnSync(shell, ['-n'], { input: `${text}\n` }).status !== 0);
    expect(unread).toEqual([]);
    throw new Error(`${shell} reads each by itself, but not all together`);
  }
});

// What takes a time that grows with more than the length would outlast the test's minute by far.
it('ends on long commands that are nearly whole', () => {
  for (const unit of [
    '$ab',
    '$',
    '"',
    "'",
    'a ',
    '> ',
    '2>&1 ',
    '$\u007bab',
    'for i in a; do ',
    ' \t',
    'a;\n',
  ])
    for (const text of [
      unit.repeat(500),
      `echo "${unit.repeat(100)}`,
      unit.repeat(100_000),
      `echo "${unit.repeat(100_000)}`,
      `${unit.repeat(100_000)}\\`,
    ])
      expect(typeof isWhole(text)).toBe('boolean');
});
