import { describe, expect, it } from 'vitest';
import { noKubeadmFailure } from './real-kubeadm.ts';

describe('a run in which no kubeadm ran', () => {
  const path = '/usr/bin/kubeadm';
  const ended = (exitStatus: number, why: string) =>
    noKubeadmFailure({ path, exitStatus, stderr: `bash: line 1: ${path}: ${why}\n` });

  it.each([
    'cannot execute binary file: Exec format error',
    'Permission denied',
    '1: \x7fELF of another architecture: not found',
  ])('is told: %j', (why) => {
    expect(ended(126, why)).toMatchObject({
      code: 'KubeadmNotFound',
      cause: `${path} cannot be run: ${why}.`,
    });
  });

  it.each([
    [126, 'Text file busy'],
    [126, 'Cannot allocate memory'],
    [127, 'No such file or directory'],
    [127, 'not found'],
    [127, 'line 5: snap: command not found'],
    [127, '5: snap: not found'],
    [1, 'cannot execute binary file: Exec format error'],
  ])(
    'is not the last word where it is being replaced, a script that runs, or another failure: %i, %s',
    (status, why) => {
      expect(ended(status, why)).toBeUndefined();
    },
  );
});
