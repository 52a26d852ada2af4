import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createHttpClient } from '../common/net/http-client.ts';
import { interfaceAddresses } from '../common/net/interface-addresses.ts';
import { callUnix } from '../common/net/unix-call.ts';
import { createClock } from '../common/system/clock.ts';
import { reduceMemory } from '../common/system/reduce-memory.ts';
import type { Host, RootPrograms } from '../host.ts';
import { createBlockDevices } from './files/block-devices.ts';
import { createFiles } from './files/files.ts';
import { resolveInRoot } from './files/paths/resolve.ts';
import { takeLock } from './process/lock.ts';
import { createProcesses } from './process/processes.ts';
import { createSandboxedProcesses } from './sandbox/sandbox.ts';

/** The Linux machine whose `/` is `root`; default: this machine. */
export function createLinuxHost(options: { root?: string; programs?: RootPrograms } = {}): Host {
  const root = resolve(options.root ?? '/');
  const { programs = 'trust' } = options;
  const files = createFiles(root);
  let boot: string | undefined;
  return {
    platform: 'linux',
    root,
    files,
    ownFiles: root === '/' ? files : createFiles('/'),
    clock: createClock(),
    processes:
      root === '/' || programs === 'trust'
        ? createProcesses(root)
        : createSandboxedProcesses(root, programs === 'change'),
    network: { client: createHttpClient, callUnix },
    blockDevices: createBlockDevices(root),
    tpm: async (path) => (await import('./system/tpm-channel.ts')).openTpm(resolveInRoot(root, path), path),
    readSlow: async (paths) => (await import('./process/read-slow.ts')).readSlow(root, paths),
    interfaceAddresses: () => (root === '/' ? interfaceAddresses() : []),
    random: Math.random,
    // The kernel's own UUID: node:crypto takes longer to load than reading the user data.
    uuid: () => readFileSync('/proc/sys/kernel/random/uuid', 'utf8').trim(),
    bootId: async () => {
      boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return boot;
    },
    machineId: async () =>
      (await files.readIfPresent('/etc/machine-id', 4096))?.toString('utf8').trim() || undefined,
    hostname: () => readFileSync('/proc/sys/kernel/hostname', 'utf8').trim(),
    env: (name) => process.env[name],
    stayLean: reduceMemory,
    lock: (name) => takeLock(root, name),
  };
}
