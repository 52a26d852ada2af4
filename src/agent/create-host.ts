import type { Host, RootPrograms } from './host/host.ts';
import { createLinuxHost } from './host/linux/host.ts';
import { createWindowsHost } from './host/windows/host.ts';

/**
 * The machine that this runs on, or what lies below `root`, whose programs are asked apart from this machine unless `programs`
 * says otherwise. A bundle holds one of the two: its build says for which system it
 * is (build/binary/bundle.ts).
 */
export function createHost(options: { root?: string; programs?: RootPrograms } = {}): Host {
  return process.platform === 'win32'
    ? createWindowsHost(options)
    : createLinuxHost({ programs: 'ask', ...options });
}
