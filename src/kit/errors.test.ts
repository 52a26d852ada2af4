import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HostError } from '../agent/host/host.ts';
import { KubeError } from '../controller/kube/kube-error.ts';
import { WireError } from '../protocol/wire.ts';
import { fatalMessage, isExpected } from './errors.ts';

describe('an error that reaches the end of a program', () => {
  it.each([
    ['of the machine', new HostError('reading /x: permission denied', 'EACCES')],
    ['of the API server', new KubeError(403, 'Forbidden', 'GET /x: no')],
    ['of a body', new WireError('bad-request', 'the body is not valid JSON')],
  ])('is told in its own words: %s', (_, error) => {
    expect(isExpected(error)).toBe(true);
    expect(fatalMessage(error)).toBe(error.message);
  });

  it('is told in its own words where the system or OpenSSL said it', () => {
    const read = () => readFileSync('/no/such/file');
    expect(read).toThrow(expect.toSatisfy(isExpected));
    expect(() => createPrivateKey('x')).toThrow(expect.toSatisfy(isExpected));
  });

  it.each([
    new TypeError('x is not a function'),
    Object.assign(new TypeError('x'), { code: 'ERR_INVALID_ARG_TYPE' }),
    'a text',
    undefined,
  ])('is a fault otherwise: %s', (error) => {
    expect(isExpected(error)).toBe(false);
    expect(fatalMessage(error)).toMatch(/^internal error, please report it: /);
  });
});
