import assert from 'node:assert/strict';
import { CRI_ANSWERS, type Lab, type Machine } from '../../lab/lab.ts';
import type { ClusterData } from '../../support/cluster-api/cluster-data.ts';
import { ignitionJoin, ignitionWorker } from '../../support/cluster-api/ignition.ts';
import { bootMachine } from '../../support/machines.ts';
import type { LabController, ToldEvent } from './receiver.ts';

const DROP_IN = '/etc/systemd/system/kubeadm.service.d/restart.conf';

/**
 * Boots a machine as Ignition leaves it, on which `kubeadm.service` fails for good; the next boot runs it again, under
 * systemd's Restart=, and the second attempt of that joins. @returns the machine, on its way to be a node
 */
export async function observeIgnition(
  lab: Lab,
  controller: LabController,
  cluster: ClusterData,
  settings: { path: string; content: string },
  name: string,
): Promise<Machine> {
  const machine = await bootMachine(lab, name, {
    role: 'worker',
    userData: '',
    mode: 'binary',
    report: true,
    files: {
      [settings.path]: { content: settings.content, mode: 0o600 },
      ...ignitionWorker(cluster, name, {
        // Cluster API's unit does not wait for the container runtime.
        preKubeadmCommands: [
          `until ${CRI_ANSWERS}; do sleep 0.2; done`,
          'if [ -e /etc/falter ]; then rm /etc/falter; echo "not this time" >&2; false; fi',
        ],
        caCertHash: `sha256:${'0'.repeat(64)}`,
      }),
    },
  });
  const told = (what: string, fits: (event: ToldEvent) => boolean) => controller.told(name, what, fits);
  const stepOf = ({ step }: ToldEvent) => (step as { id: string } | undefined)?.id;
  const codeOf = ({ failure }: ToldEvent) => (failure as { code: string } | undefined)?.code;

  const end = await told('the failure of its first boot', ({ type }) => type === 'sequence.ended');
  assert.equal(codeOf(end), 'CaHashMismatch', JSON.stringify(end));
  assert.equal(stepOf(end), 'kubeadm');
  assert.equal(end.mode, 'observed');

  await machine.put('/etc/kubeadm.yml', ignitionJoin(cluster, name), 0o600);
  await machine.put('/etc/falter', '');
  await machine.put(DROP_IN, '[Service]\nRestart=on-failure\nRestartSec=10s\n');
  await machine.reboot();
  const attempt = await told('the first attempt of its second boot', ({ type }) => type === 'step.attempt');
  assert.equal(codeOf(attempt), 'CommandFailed', JSON.stringify(attempt));
  assert.equal(stepOf(attempt), 'kubeadm.service');
  assert.deepEqual((attempt.failure as { lines: string[] }).lines.slice(-1), ['not this time']);
  const again = (event: ToldEvent) => stepOf(event) === 'kubeadm.service' && event.attempt === 2;
  await told('the second attempt', (event) => event.type === 'step.started' && again(event));
  return machine;
}
