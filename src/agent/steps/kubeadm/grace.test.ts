import { expect, it } from 'vitest';
import { isGraceOver, lackingIn } from './grace.ts';

const unknown = { code: 'TokenUnknown', persistence: 'until-deadline' } as const;
const unreachable = { code: 'ApiServerUnreachable', persistence: 'transient' } as const;

it('ends the grace of a token when attempts have lacked it for three minutes', () => {
  const first = lackingIn(unknown, 'token', 70, undefined);
  const second = lackingIn(unknown, 'token', 70, first);
  expect([first, second].map(isGraceOver)).toEqual([false, false]);
  expect(isGraceOver(lackingIn(unknown, 'token', 50, second))).toBe(true);
});

it('does so for an address without a route', () => {
  expect(isGraceOver(lackingIn(unreachable, 'route', 30, { what: 'route', seconds: 150 }))).toBe(true);
});

it.each([
  ['another reason of kubeadm', { code: 'ApiServerUnavailable', persistence: 'transient' } as const, 'token'],
  ['a token that has come meanwhile', { code: 'TokenUnknown', persistence: 'transient' } as const, 'token'],
  ['an API server that is only silent', unreachable, undefined],
  ['a success', undefined, 'route'],
] as const)('knows none of %s', (_what, found, what) => {
  expect(lackingIn(found, what, 500, { what: 'token', seconds: 500 })).toBeUndefined();
});

it('begins anew where something else is lacking', () => {
  expect(lackingIn(unreachable, 'route', 20, { what: 'token', seconds: 170 })).toEqual({
    what: 'route',
    seconds: 20,
  });
});
