import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { createHttpClient } from '../common/net/http-client.ts';
import { interfaceAddresses } from '../common/net/interface-addresses.ts';
import { callUnix } from '../common/net/unix-call.ts';
import { delay, elapsedMs } from '../common/system/clock.ts';
import { reduceMemory } from '../common/system/reduce-memory.ts';
import { type Host, HostError } from '../host.ts';
import { readKey } from '../windows-registry.ts';
import { bootId } from './boot-id.ts';
import { createFiles } from './files.ts';
import { takeLock } from './lock.ts';
import { createProcesses } from './processes.ts';

/** The Windows machine; with a root, the folder that stands for its system drive. */
export function createWindowsHost(options: { root?: string } = {}): Host {
  const given = options.root ?? '/';
  const root = given === '/' ? given : resolve(given);
  const files = createFiles(root);
  const machine = { processes: createProcesses(root), env: (name: string) => process.env[name] };
  let boot: string | undefined;
  const bootOf = async () => {
    boot ??= await bootId(machine, root);
    return boot;
  };
  return {
    ...machine,
    platform: 'windows',
    root,
    files,
    ownFiles: root === '/' ? files : createFiles('/'),
    clock: { now: () => new Date(), monotonic, sleep: delay },
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
    bootId: bootOf,
    // Sysprep gives each machine of an image one of its own.
    machineId: async () =>
      (await readKey(machine, 'HKLM\\SOFTWARE\\Microsoft\\Cryptography')).get('machineguid'),
    hostname,
    stayLean: reduceMemory,
    lock: async (name) => {
      // Before anything of this boot lies there.
      await bootOf();
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
