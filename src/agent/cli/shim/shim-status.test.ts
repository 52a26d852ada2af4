import { expect, it } from 'vitest';
import { failure } from '../../engine/failure.ts';
import { shimStatus } from './shim-bootstrap.ts';

it.each([
  ['success', 0, undefined, 0],
  ["kubeadm's own failure", 1, 3, 3],
  ['an agent that was told to stop', 75, undefined, 75],
  ['a deadline that passed between attempts', 3, undefined, 3],
])('ends with the status of %s', (_, exitStatus, ofKubeadm, expected) => {
  const more = ofKubeadm === undefined ? {} : { exitStatus: ofKubeadm };
  const outcome =
    exitStatus === 0 ? { exitStatus } : { exitStatus, failure: failure('Interrupted', 'a', more) };
  expect(shimStatus(outcome)).toBe(expected);
});
