import { expect, it } from 'vitest';
import { goesThroughProxy } from './proxy.ts';

const asks = (endpoint: string, noProxy: string, proxy = 'http://10.9.9.9:3128'): boolean =>
  goesThroughProxy(endpoint, (name) => ({ HTTPS_PROXY: proxy, NO_PROXY: noProxy })[name]);

it.each([
  ['10.0.0.1:6443', '', true],
  ['10.0.0.1:6443', '10.0.0.1', false],
  ['10.0.0.1:6443', '10.0.0.1:6443', false],
  ['10.0.0.1:6443', 'localhost, 10.0.0.0/8', false],
  ['10.0.0.1:6443', '192.168.0.0/16,10.1.0.0/16', true],
  ['10.0.0.1:6443', '10.0.0.0/99,nonsense/8', true],
  ['[fd00::1]:6443', 'fd00::/8', false],
  ['[fd00::1]:6443', '10.0.0.0/8', true],
  ['cp.example.org:6443', '.example.org', false],
  ['cp.example.org:6443', '10.0.0.0/8', true],
])('%s with NO_PROXY=%s: %s', (endpoint, noProxy, through) => {
  expect(asks(endpoint, noProxy)).toBe(through);
  expect(asks(endpoint, noProxy, '')).toBe(false);
});
