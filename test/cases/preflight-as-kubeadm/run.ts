import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';
import { bootMachine } from '../../support/machines.ts';
import { fill, type Values, valuesOf } from '../values.ts';

export const about = 'whatever slipway preflight calls fatal in the name of kubeadm, kubeadm refuses too';

interface Found {
  severity: string;
  message: string;
  kubeadmCheck?: string;
}

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const cluster = await joinableCluster(await lab.controlPlane());
    const userData = workerJoin(cluster);
    const machine = await bootMachine(lab, 'w1', { role: 'control-plane', userData, mode: 'binary' });
    for (const verb of ['join', 'init'] as const) {
      const compared = await compare(machine, verb, await valuesOf(cluster));
      say(`${compared} ways in which a machine cannot ${verb}: kubeadm agrees`);
    }
  } finally {
    await lab.close();
  }
}

/**
 * Breaks a machine in many ways and asks both. On the sound machine neither has anything to refuse.
 *
 * @returns how many fatal findings were compared
 */
async function compare(machine: Machine, verb: 'join' | 'init', values: Values): Promise<number> {
  const path = `/var/tmp/${verb}.yaml`;
  const content = fill(read(`${verb}.yaml`), values);
  await machine.put(path, content, 0o600);
  const userData = { write_files: [{ path, content }], runcmd: [`kubeadm ${verb} --config ${path}`] };
  await machine.put('/var/tmp/user-data', `#cloud-config\n${JSON.stringify(userData)}\n`, 0o600);
  assert.deepEqual((await ask(machine, verb, path)).fatal, [], 'a sound machine');
  const breakages = load(read('breakages.yaml')) as { break: string; mend: string }[];
  let compared = 0;
  for (const { break: breaking, mend } of breakages) {
    await machine.execOk(['sh', '-ec', breaking]);
    const { fatal, errors } = await ask(machine, verb, path);
    await machine.execOk(['sh', '-ec', mend], { timeoutMs: 300_000 });
    for (const { kubeadmCheck, message } of fatal) {
      if (kubeadmCheck === undefined) continue;
      assert.ok(
        errors.includes(kubeadmCheck.toLowerCase()),
        `${breaking}: "${message}", but kubeadm said ${errors}`,
      );
      compared += 1;
    }
  }
  assert.ok(compared >= 8, `only ${compared} fatal findings in ${breakages.length} broken machines`);
  return compared;
}

/** What Slipway calls fatal, and the names of kubeadm's checks that fail. */
async function ask(
  machine: Machine,
  verb: 'join' | 'init',
  config: string,
): Promise<{ fatal: Found[]; errors: string[] }> {
  // One after the other: kubeadm looks whether a port is free by listening there itself.
  const ours = await machine.exec([
    ...['slipway', 'preflight', '--user-data', '/var/tmp/user-data', '--output', 'json'],
  ]);
  const theirs = await machine.exec(['kubeadm', verb, 'phase', 'preflight', '--config', config], {
    timeoutMs: 600_000,
  });
  const { findings }: { findings: Found[] } = JSON.parse(ours.stdout);
  const named = theirs.stderr.matchAll(/\[ERROR ([^\]]+)\]/g);
  return {
    fatal: findings.filter(({ severity }) => severity === 'fatal'),
    errors: [...named].map(([, name = '']) => name.toLowerCase()),
  };
}
