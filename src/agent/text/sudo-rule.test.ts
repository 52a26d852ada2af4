import { expect, it } from 'vitest';
import { sudoRuleProblem } from './sudo-rule.ts';

/** What visudo 1.9.13 refused. */
it.each([
  ['ALL', /the hosts/],
  ['NOPASSWD:ALL', /the hosts/],
  ['False', /the hosts/],
  ['(ALL) NOPASSWD:ALL', /the hosts/],
  ['= ALL', /the hosts/],
  ['# a=b', /the hosts/],
  ['ALL=(ALL ALL', /not closed/],
  ['ALL=', /no command/],
  ['ALL = (ALL) # all of it', /no command/],
  ['ALL=(ALL) NOPASSWD ALL', /colon is missing/],
])('%s is no rule of sudo', (rule, why) => {
  expect(sudoRuleProblem(rule)).toMatch(why);
});

/** What it took. */
it.each([
  'ALL=(ALL) NOPASSWD:ALL',
  'ALL=NOPASSWD: /bin/ls, !/bin/sh',
  'ALL = ( ALL ) ALL',
  'ALL=(ALL)NOPASSWD:ALL',
  ', alice ALL=(ALL) ALL',
  'ALL=/bin/sh -c (a',
  'ALL=(ALL) NOPASSWD:/bin/a b=c # why',
  'ALL=() ALL',
  'ALL=(ALL) NOPASSWD',
  'ALL=PASSWDS, ALL',
])('%s may be one', (rule) => {
  expect(sudoRuleProblem(rule)).toBeUndefined();
});
