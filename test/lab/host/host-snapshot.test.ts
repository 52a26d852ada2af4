import { expect, it } from 'vitest';
import { compareSnapshots, type HostSnapshot } from './host-snapshot.ts';

const host = (changed: Partial<HostSnapshot> = {}): HostSnapshot => ({
  mounts: ['/'],
  links: ['lo'],
  'network namespaces': ['net:[1]', 'net:[2]'],
  'control groups': [],
  'kernel settings': ['kernel/panic = 0'],
  ...changed,
});

it('finds what was left behind and what was changed', () => {
  expect(compareSnapshots(host(), host())).toEqual([]);
  expect(compareSnapshots(host(), host({ links: ['br0', 'lo'] }))).toEqual(['links: + br0']);
  expect(compareSnapshots(host(), host({ mounts: [] }))).toEqual(['mounts: - /']);
  expect(compareSnapshots(host(), host({ 'kernel settings': ['kernel/panic = 10'] }))).toHaveLength(2);
});

it('does not hold against a lab that somebody else went', () => {
  expect(compareSnapshots(host(), host({ 'network namespaces': ['net:[1]'] }))).toEqual([]);
  expect(
    compareSnapshots(host(), host({ 'network namespaces': ['net:[1]', 'net:[2]', 'net:[3]'] })),
  ).toHaveLength(1);
});
