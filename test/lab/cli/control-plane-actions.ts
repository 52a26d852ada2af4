import type { ControlPlane } from '../control-plane/control-plane.ts';
import { machineNames } from '../lab-record.ts';
import { openUserLab, userLab } from '../open-lab.ts';

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function existing(): Promise<ControlPlane> {
  return (await userLab()).existingControlPlane();
}

/** Prints the command line by which a machine joins. */
export async function up(): Promise<void> {
  const lab = await openUserLab({ say });
  const controlPlane = await lab.controlPlane();
  await printJoin(controlPlane);
}

export async function token(flags: { ttl: string }): Promise<void> {
  await printJoin(await existing(), flags.ttl);
}

async function printJoin(controlPlane: ControlPlane, ttl = '1h'): Promise<void> {
  const made = await controlPlane.createToken({ ttl });
  const hash = controlPlane.caCertHashes[0];
  process.stdout.write(
    `kubeadm join ${controlPlane.endpoint} --token ${made} --discovery-token-ca-cert-hash ${hash}\n`,
  );
}

/** Resolves with kubectl's exit status. */
export async function kubectl(args: readonly string[]): Promise<number> {
  const done = await (await existing()).run('kubectl', args);
  process.stdout.write(done.stdout);
  process.stderr.write(done.stderr);
  return done.code ?? 1;
}

export async function down(): Promise<void> {
  const lab = await userLab();
  await (await lab.existingControlPlane()).destroy();
  if ((await machineNames(lab.id)).length === 0) await lab.close();
}
