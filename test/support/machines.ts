import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unitFile } from '../../build/project.ts';
import { BINARY } from '../../src/agent/document/paths.ts';
import { REPORT_UNITS } from '../../src/agent/install/layout.ts';
import type { Lab, Machine, MachineFile, Role } from '../lab/lab.ts';
import { metaData } from './cluster-api/user-data.ts';

export const DIST = join(import.meta.dirname, '../../dist/slipway-linux-x64');

export const SEED = '/var/lib/cloud/seed/nocloud';

export interface BootOptions {
  role: Role;
  ip?: string;
  userData: string | Uint8Array;
  /**
   * `service`: no cloud-init; Slipway's own services, as `slipway install --service` enables them, do everything.
   * `shim`: cloud-init does everything and calls Slipway as its kubeadm.
   * `plain`: cloud-init does everything with the real kubeadm; Slipway does not bootstrap.
   * `binary`: no cloud-init and nothing started; the case calls Slipway itself.
   */
  mode: 'service' | 'shim' | 'plain' | 'binary';
  /** When it counts as up. */
  ready?: 'containerd' | 'init';
  /** false: the caller switches it on. */
  boot?: boolean;
  /** Its image has the reporting daemon too. */
  report?: boolean;
  /** More that the image has. */
  files?: Readonly<Record<string, MachineFile>>;
}

/** Boots a machine whose image has Slipway baked in and whose NoCloud seed is `userData`. */
export async function bootMachine(lab: Lab, name: string, options: BootOptions): Promise<Machine> {
  const { role, ip, userData, mode, ready = 'containerd', boot = true, report = false, files = {} } = options;
  if (!existsSync(DIST)) throw new Error(`${DIST} is not there; run: npm run build`);
  return lab.up(name, {
    role,
    ready,
    boot,
    cloudInit: mode === 'shim' || mode === 'plain',
    ...(ip === undefined ? {} : { ip }),
    files: {
      [BINARY]: { from: DIST, mode: 0o755 },
      ...(mode === 'shim' ? { '/usr/local/bin/kubeadm': { symlink: 'slipway' } } : {}),
      [`${SEED}/user-data`]: { content: userData, mode: 0o600 },
      [`${SEED}/meta-data`]: { content: metaData(name), mode: 0o600 },
      ...files,
    },
    units: {
      ...(mode === 'service' ? unitsOf('slipway.service', 'slipway-network.service') : {}),
      ...(report ? unitsOf(...REPORT_UNITS) : {}),
    },
  });
}

function unitsOf(...names: string[]): Record<string, { content: string; enable: boolean }> {
  return Object.fromEntries(
    names.map((name) => {
      const content = unitFile(name);
      return [name, { content, enable: content.includes('[Install]') }];
    }),
  );
}

/** `kubectl` on a control-plane machine. */
export async function kubectl(machine: Machine, ...args: string[]): Promise<string> {
  return machine.execOk(['kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf', ...args]);
}

export async function waitForReady(controlPlane: Machine, nodes: string[]): Promise<void> {
  const names = nodes.map((name) => `node/${name}`);
  await controlPlane.waitFor(
    async () => {
      const wait = ['wait', '--for=condition=Ready', ...names, '--timeout=5s'];
      const done = await controlPlane.exec([
        'kubectl',
        '--kubeconfig',
        '/etc/kubernetes/admin.conf',
        ...wait,
      ]);
      return done.code === 0;
    },
    { timeoutMs: 600_000, what: `${nodes.join(' and ')} to be Ready` },
  );
}
