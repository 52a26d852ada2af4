import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unitFile } from '../../build/project.ts';
import { BINARY, TPM_PATH } from '../../src/agent/document/paths.ts';
import { type Lab, type Machine, rootWith } from '../lab/lab.ts';
import type { ClusterData } from '../support/cluster-api/cluster-data.ts';
import { metaData, workerJoin } from '../support/cluster-api/user-data.ts';
import { DIST, SEED } from '../support/machines.ts';
import { softwareTpm } from '../support/tpm/machine-unit.ts';
import { extended } from '../support/tpm/pcr-extend.ts';
import type { Management } from './management.ts';

/** What the firmware of an honest machine starts, and what that of another one does. */
const BOOT_LOADER = createHash('sha256').update('the boot loader of the image').digest();
const BOOTKIT = createHash('sha256').update('another one').digest();
/** Where w3's TPM can be reached by whoever has its root. */
const LENT = 2321;

/** Machines of the cluster prove themselves by their TPMs, booted as the image does; those without a TPM by their tokens. */
export const POLICY = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'NodeIdentityPolicy',
  metadata: { name: 'demo', namespace: 'default' },
  spec: {
    selector: { cluster: 'demo' },
    method: 'tpm',
    fallback: 'token',
    registers: { pcrs: [4], values: [{ pcr: 4, anyOf: [extended(BOOT_LOADER).toString('hex')] }] },
  },
};

/** Three machines with a TPM each: what they are given, and what they are told. */
export class Proofs {
  readonly #lab: Lab;
  readonly #management: Management;
  readonly #cluster: ClusterData;

  constructor(lab: Lab, management: Management, cluster: ClusterData) {
    this.#lab = lab;
    this.#management = management;
    this.#cluster = cluster;
  }

  /** An honest machine; it has not begun yet. */
  honest(): Promise<Machine> {
    return this.#boot('w3', BOOT_LOADER);
  }

  /** w4 has w3's TPM answer in the place of its own: somebody is root on both. */
  async borrower(lender: Machine): Promise<void> {
    const machine = await this.#boot('w4', BOOT_LOADER);
    const lend = `socat TCP-LISTEN:${LENT},fork,reuseaddr UNIX-CONNECT:${TPM_PATH}`;
    await lender.execOk(['systemd-run', '--quiet', 'sh', '-c', lend]);
    const borrow = `rm -f ${TPM_PATH}; exec socat UNIX-LISTEN:${TPM_PATH},fork TCP:${lender.ip}:${LENT}`;
    await machine.execOk(['systemctl', 'stop', 'software-tpm.service']);
    await machine.execOk(['systemd-run', '--quiet', 'sh', '-c', borrow]);
    await machine.waitFor(() => machine.exists(TPM_PATH), { timeoutMs: 30_000, what: 'the borrowed TPM' });
    await begin(machine);
  }

  /** w5 has its own TPM, and another boot loader. */
  async bootedOtherwise(): Promise<void> {
    await begin(await this.#boot('w5', BOOTKIT));
  }

  /** A machine whose user data is a stub, and the Machine that names its TPM. */
  async #boot(name: string, bootLoader: Uint8Array): Promise<Machine> {
    const { files, units } = softwareTpm(bootLoader);
    const machine = await this.#lab.up(name, {
      role: 'worker',
      ready: 'init',
      over: (await rootWith('swtpm', ['swtpm'])).slice(0, 1),
      files: {
        [BINARY]: { from: DIST, mode: 0o755 },
        [`${SEED}/meta-data`]: { content: metaData(name), mode: 0o600 },
        ...files,
      },
      units: {
        ...units,
        'slipway.service': { content: unitFile('slipway.service'), enable: false },
        'slipway-report.service': { content: unitFile('slipway-report.service'), enable: false },
      },
    });
    const { endorsementKey } = JSON.parse(await machine.execOk(['slipway', 'identity', '--output', 'json']));
    const settings = await this.#management.addMachineWithTpm(name, endorsementKey);
    await machine.put(
      `${SEED}/user-data`,
      await this.#seal(name, workerJoin(this.#cluster, { files: settings })),
      0o600,
    );
    return machine;
  }

  async #seal(name: string, userData: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-demo-'));
    try {
      const file = join(folder, 'user-data');
      await writeFile(file, userData, { mode: 0o600 });
      return await this.#management.seal(name, file);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Begins the bootstrap, as the next boot would. */
export async function begin(machine: Machine): Promise<void> {
  await machine.execOk([
    ...['systemctl', 'enable', '--now', '--no-block', 'slipway.service', 'slipway-report.service'],
  ]);
}
