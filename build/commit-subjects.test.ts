import { expect, it } from 'vitest';
import { recentSubjects, subjectFault } from './commit-subjects.ts';

it.skipIf(recentSubjects() === undefined)('every commit has a subject of the agreed form', () => {
  const faults = (recentSubjects() ?? []).flatMap((subject) => {
    const fault = subjectFault(subject);
    return fault === undefined ? [] : [`"${subject}" ${fault}`];
  });
  expect(faults).toEqual([]);
});

it.each([
  ['kubeadm: retry a join that timed out', undefined],
  ['userdata/sources: plain English', undefined],
  ['Merge branch "main"', undefined],
  ['Fix things', 'does not read "room: what changed"'],
  ['kubeadm: retry a join.', 'ends with a full stop'],
  [`kubeadm: ${'x'.repeat(64)}`, 'has 73 characters; at most 72 are allowed'],
])('"%s": %s', (subject, fault) => {
  expect(subjectFault(subject)).toBe(fault);
});
