import type { Host } from './host/host.ts';
import { createLinuxHost } from './host/linux/host.ts';
import { createWindowsHost } from './host/windows/host.ts';

/**
 * The machine that this runs on, or what lies below `root`. A bundle holds one of the two: its build says for which system it
 * is (build/binary/bundle.ts).
 */
export function createHost(options: { root?: string } = {}): Host {
  return process.platform === 'win32' ? createWindowsHost(options) : createLinuxHost(options);
}
