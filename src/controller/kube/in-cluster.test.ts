import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { inClusterAccess } from './in-cluster.ts';

let folder: string;
const put = (name: string, text: string): void => writeFileSync(join(folder, name), `${text}\n`);
beforeEach(() => {
  folder = scratch();
  vi.useFakeTimers();
  vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1');
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '6443');
  put('token', 'first');
  put('ca.crt', 'authority');
  put('namespace', 'ns');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('is what the kubelet laid down', () => {
  expect(inClusterAccess(folder)).toMatchObject({ ca: 'authority', namespace: 'ns' });
  expect(inClusterAccess(folder)?.server.href).toBe('https://[fd00::1]:6443/');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
  expect(inClusterAccess(folder)).toBeUndefined();
});

it('reads a token that was renewed after a minute, or when the old one is refused', () => {
  const access = inClusterAccess(folder);
  put('token', 'second');
  expect(access?.token?.()).toBe('first');
  expect(access?.token?.('first')).toBe('second');
  put('token', 'third');
  // Refused was one of before.
  expect(access?.token?.('first')).toBe('second');
  vi.advanceTimersByTime(60_001);
  expect(access?.token?.()).toBe('third');
});

it('is reached as the environment says', () => {
  vi.stubEnv('HTTPS_PROXY', 'http://proxy:3128');
  vi.stubEnv('NO_PROXY', '');
  expect(inClusterAccess(folder)?.proxy?.host).toBe('proxy:3128');
  vi.stubEnv('NO_PROXY', 'fd00::/8');
  expect(inClusterAccess(folder)?.proxy).toBeUndefined();
});
