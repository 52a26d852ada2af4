import { expect, it } from 'vitest';
import { memberIn } from './attempt-note.ts';

it.each([
  ['the etcd member 3b2f4c1d5e6a7089 is not started', '4264711061164945545'],
  ['I1003 etcd.go:562] [etcd] Promoting the learner ff failed: etcdserver: x', undefined],
  ['I1003 etcd.go:562] [etcd] Promoting the learner 3b2f4c1d5e6a7089 failed: x', '4264711061164945545'],
  [
    'I1003 etcd.go:540] [etcd] Promoting a learner as a voting member: 3b2f4c1d5e6a7089',
    '4264711061164945545',
  ],
  ['[etcd] Announced new etcd member joining to the existing etcd cluster', undefined],
])('kubeadm tells which member it has added: %s', (line, id) => {
  expect(memberIn(line)).toBe(id);
});
