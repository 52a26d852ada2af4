import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { createHttpClient } from '../common/net/http-client.ts';
import { interfaceAddresses } from '../common/net/interface-addresses.ts';
import { callUnix } from '../common/net/unix-call.ts';
import { delay, elapsedMs } from '../common/system/clock.ts';
import { stayLean } from '../common/system/stay-lean.ts';
import { type Host, HostError } from '../host.ts';
import { bootId } from './boot-id.ts';
import { createFiles } from './files.ts';
import { takeLock } from './lock.ts';
import { createProcesses } from './processes.ts';
import { registryValue } from './registry.ts';

/** The Windows machine; with a root, the folder that stands for its system drive. */
export function createWindowsHost(options: { root?: string } = {}): Host {
  const given = options.root ?? '/';
  const root = given === '/' ? given : resolve(given);
  const files = createFiles(root);
  let boot: string | undefined;
  return {
    platform: 'windows',
    root,
    files,
    ownFiles: root === '/' ? files : createFiles('/'),
    clock: { now: () => new Date(), monotonic, sleep: delay },
    processes: createProcesses(root),
    network: { client: createHttpClient, callUnix },
    blockDevices: {
      find: async () => undefined,
      isInUse: async () => false,
      read: async (path) => {
        throw new HostError(`${path}: disks are not read on Windows`, 'ENOTSUP', path);
      },
    },
    // Windows offers a TPM by its own services only.
    tpm: async () => undefined,
    readSlow: async (paths) => paths.map(() => ({ problem: 'Windows has no such file' })),
    interfaceAddresses: () => (root === '/' ? interfaceAddresses() : []),
    random: Math.random,
    uuid: randomUUID,
    bootId: async () => {
      boot ??= bootId(root);
      return boot;
    },
    // Sysprep gives each machine of an image one of its own.
    machineId: async () =>
      root === '/' ? registryValue('HKLM\\SOFTWARE\\Microsoft\\Cryptography', 'MachineGuid') : undefined,
    hostname,
    env: (name) => process.env[name],
    stayLean,
    lock: async (name) => {
      // Before anything of this boot lies there.
      boot ??= bootId(root);
      return takeLock(root, name);
    },
  };
}

const STARTED = elapsedMs();
const uptimeAtStart = process.getBuiltinModule('node:os').uptime() * 1000;

/** Milliseconds since boot. */
function monotonic(): number {
  return Math.round(uptimeAtStart + elapsedMs() - STARTED);
}
