import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../../src/agent/host/host.ts';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import { readTpm } from '../../../src/agent/identity/tpm/read-tpm.ts';
import { withScratchRoot } from '../../lab/lab.ts';
import { waitFor } from '../../lab/process/wait-for.ts';
import { pcrExtend } from './pcr-extend.ts';

/** A machine's root with a TPM of its own where the kernel would have it. */
export interface MachineWithTpm {
  readonly host: Host;
  /** `sha256:...`. */
  readonly endorsementKey: string;
  end(): Promise<void>;
}

/**
 * Starts swtpm in the tools' root; its socket lies at the machine's /dev/tpmrm0.
 *
 * @param lower the root with swtpm
 */
export async function machineWithTpm(lower: readonly string[]): Promise<MachineWithTpm> {
  const root = await mkdtemp(join(tmpdir(), 'slipway-machine-'));
  await chmod(root, 0o755);
  await mkdir(join(root, 'dev'));
  const stop = join(root, 'dev/stop');
  const over = withScratchRoot(lower, (scratch) =>
    scratch.run(SCRIPT, { binds: [{ from: join(root, 'dev'), to: '/machine-dev' }], timeoutMs: 300_000 }),
  );
  const end = async (): Promise<void> => {
    await writeFile(stop, '');
    await over;
    await rm(root, { recursive: true, force: true });
  };
  try {
    const host = createLinuxHost({ root });
    await Promise.race([
      waitFor(() => host.files.stat('/dev/ready'), { timeoutMs: 60_000, what: 'swtpm' }),
      over.then(({ stderr }) => Promise.reject(new Error(`swtpm ended: ${stderr}`))),
    ]);
    const { endorsementKey } = await readTpm(host);
    return { host, endorsementKey, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Measures something into a register, as a boot loader does. */
export async function extendPcr(host: Host, pcr: number): Promise<void> {
  const channel = await host.tpm('/dev/tpmrm0');
  assert.ok(channel);
  try {
    const answer = Buffer.from(await channel.transmit(pcrExtend(pcr, Buffer.alloc(32, 7))));
    assert.equal(answer.readUInt32BE(6), 0);
  } finally {
    await channel.close();
  }
}

const SCRIPT = `
mkdir -p /run/tpm
swtpm_setup --tpm2 --tpmstate /run/tpm --logfile /run/tpm/setup.log
swtpm socket --tpm2 --tpmstate dir=/run/tpm --server type=unixio,path=/machine-dev/tpmrm0 \\
  --ctrl type=unixio,path=/run/tpm/control --flags not-need-init,startup-clear --daemon --pid file=/run/tpm/pid
touch /machine-dev/ready
while [ ! -e /machine-dev/stop ]; do sleep 0.1; done
kill "$(cat /run/tpm/pid)"
`;
