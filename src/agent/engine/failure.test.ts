import { expect, it } from 'vitest';
import { failure } from './failure.ts';

it.each([
  ['the disk is full', 'The disk is full.'],
  ['kubeadm: it ended', 'Kubeadm: it ended.'],
  ['http://192.0.2.1/x was not fetched', 'http://192.0.2.1/x was not fetched.'],
  ['/etc/x is no file!', '/etc/x is no file!'],
])('a cause is a sentence: %s', (cause, sentence) => {
  expect(failure('InternalError', cause).cause).toBe(sentence);
});
