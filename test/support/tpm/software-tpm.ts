import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
  /** In PEM, of who certified it: swtpm_localca's root, and the authority below it that signs. */
  readonly makers?: { readonly root: string; readonly issuer: string };
  end(): Promise<void>;
}

/** Its TPM can be started anew. */
export interface RestartableMachine extends MachineWithTpm {
  /** As it was, as it was and keeping that beside, or put back to what was kept last. */
  restart(how: 'as it was' | 'keep' | 'put back'): Promise<void>;
}

/**
 * Starts swtpm in the tools' root; its socket lies at the machine's /dev/tpmrm0.
 *
 * @param lower the root with swtpm
 * @param isCertified its maker has certified its RSA key; else its key is the P-256 one
 */
export async function machineWithTpm(
  lower: readonly string[],
  isCertified = false,
): Promise<RestartableMachine> {
  const root = await mkdtemp(join(tmpdir(), 'slipway-machine-'));
  await chmod(root, 0o755);
  await mkdir(join(root, 'dev'));
  const stop = join(root, 'dev/stop');
  const over = withScratchRoot(lower, (scratch) =>
    scratch.run(isCertified ? `${CERTIFIED}${RUN}` : `${BARE}${RUN}`, {
      binds: [{ from: join(root, 'dev'), to: '/machine-dev' }],
      // For as long as the machine is used, by whatever it takes: this only ends one that nobody ends.
      timeoutMs: 3_600_000,
    }),
  );
  const end = async (): Promise<void> => {
    await writeFile(stop, '');
    await over;
    await rm(root, { recursive: true, force: true });
  };
  try {
    const host = createLinuxHost({ root });
    await Promise.race([
      waitFor(() => host.files.stat('/dev/ready'), { timeoutMs: 600_000, what: 'swtpm' }),
      over.then(({ stderr }) => Promise.reject(new Error(`swtpm ended: ${stderr}`))),
    ]);
    const { endorsementKey } = await readTpm(host);
    const pem = (name: string): Promise<string> => readFile(join(root, 'dev', name), 'utf8');
    const makers = isCertified && { root: await pem('root.pem'), issuer: await pem('issuer.pem') };
    const restart = async (how: string): Promise<void> => {
      await writeFile(join(root, 'dev/restart'), how);
      const isDone = async (): Promise<boolean> => (await host.files.stat('/dev/restart')) === undefined;
      await waitFor(isDone, { timeoutMs: 600_000, what: 'swtpm to start anew' });
    };
    return { host, endorsementKey, ...(makers ? { makers } : {}), restart, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Measures something into a register, as a boot loader does. */
export async function extendPcr(
  host: Host,
  pcr: number,
  digest: Uint8Array = Buffer.alloc(32, 7),
): Promise<void> {
  const channel = await host.tpm('/dev/tpmrm0');
  assert.ok(channel);
  try {
    const answer = Buffer.from(await channel.transmit(pcrExtend(pcr, digest)));
    assert.equal(answer.readUInt32BE(6), 0);
  } finally {
    await channel.close();
  }
}

const BARE = `
mkdir -p /run/tpm
swtpm_setup --tpm2 --tpmstate /run/tpm --logfile /run/tpm/setup.log
`;
const CERTIFIED = `
mkdir -p /run/tpm /run/ca
printf '%s\\n' statedir=/run/ca signingkey=/run/ca/key.pem issuercert=/run/ca/issuer.pem certserial=/run/ca/serial >/run/ca/conf
printf '%s\\n' create_certs_tool=/usr/bin/swtpm_localca create_certs_tool_config=/run/ca/conf \\
  create_certs_tool_options=/etc/swtpm-localca.options >/run/ca/setup.conf
swtpm_setup --tpm2 --tpmstate /run/tpm --logfile /run/tpm/setup.log --create-ek-cert --config /run/ca/setup.conf
cp /run/ca/issuer.pem /machine-dev/issuer.pem
cp /run/ca/swtpm-localca-rootca-cert.pem /machine-dev/root.pem
`;
const RUN = `
serve() {
swtpm socket --tpm2 --tpmstate dir=/run/tpm --server type=unixio,path=/machine-dev/tpmrm0 \\
  --ctrl type=unixio,path=/run/tpm.control --flags not-need-init,startup-clear --daemon --pid file=/run/tpm.pid
}
end() {
pid=$(cat /run/tpm.pid)
kill "$pid"
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}
serve
touch /machine-dev/ready
while [ ! -e /machine-dev/stop ]; do
  # Its file is there before its text is.
  order=$(cat /machine-dev/restart 2>/dev/null || true)
  if [ -n "$order" ]; then
    end
    if [ "$order" = keep ]; then rm -rf /run/kept; cp -a /run/tpm /run/kept; fi
    if [ "$order" = "put back" ]; then rm -rf /run/tpm; cp -a /run/kept /run/tpm; fi
    serve
    rm /machine-dev/restart
  fi
  sleep 0.1
done
end
`;
