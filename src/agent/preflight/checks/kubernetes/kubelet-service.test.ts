import { expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { readConfig } from '../../../kubeadm/config/config.ts';
import type { Task } from '../check.ts';
import { kubeletService } from './kubelet-service.ts';

/** What the check says where `systemctl show` prints this of kubelet.service. */
const told = (...properties: string[]): Promise<string[]> => toldWith({}, ...properties);

async function toldWith(task: Partial<Task>, ...properties: string[]): Promise<string[]> {
  // Of its own, since a kubelet may run on the machine of the test.
  const real = createLinuxHost({ root: scratch() });
  const run = async () => ({ exitStatus: 0, stdout: `${properties.join('\n')}\n`, stderr: '' });
  const host = { ...real, processes: { ...real.processes, run } } as unknown as Host;
  const findings = await kubeletService.run(host, { attempted: false, mend: false, ...task });
  return findings.map(({ severity, code, message, remedy }) => `${severity} ${code} ${message}. ${remedy}`);
}

const starts = (command: string): string =>
  `ExecStart={ path=${command.split(' ')[0]} ; argv[]=${command} ; ignore_errors=no ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }`;

it('tells that the drop-in of kubeadm is missing', async () => {
  const said = [/^fatal KubeletNotStarted .*10-kubeadm\.conf/, /kubelet\.service\.d\/10-kubeadm\.conf/];
  for (const command of ['/usr/bin/kubelet', '/usr/bin/kubelet --v=2', 'kubelet']) {
    const [found = ''] = await told('LoadState=loaded', 'NeedDaemonReload=no', starts(command));
    for (const words of said) expect(found).toMatch(words);
  }
});

it.each([
  [
    'the drop-in of kubeadm',
    '/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS',
  ],
  ['flags of somebody', '/usr/bin/kubelet --config=/etc/k.yaml --kubeconfig=/etc/kubernetes/kubelet.conf'],
  ['a script', '/usr/local/bin/kubelet.sh'],
])('says nothing of %s', async (_, command) => {
  expect(await told('LoadState=loaded', 'NeedDaemonReload=no', starts(command))).toEqual([]);
});

it('waits for what systemd has not read yet', async () => {
  expect(await told('LoadState=loaded', 'NeedDaemonReload=yes', starts('/usr/bin/kubelet'))).toEqual([]);
});

it('leaves a kubelet that kubeadm does not start to who starts it', async () => {
  const config = { ...readConfig({ verb: 'join', args: [] }), skipPhases: ['kubelet-start'] };
  const properties = ['LoadState=loaded', 'NeedDaemonReload=no', starts('/usr/bin/kubelet')];
  expect(await toldWith({ config }, ...properties)).toEqual([]);
});

it('tells a service that is masked', async () => {
  expect(await told('LoadState=masked', 'NeedDaemonReload=no')).toEqual([
    expect.stringMatching(
      /^fatal KubeletNotStarted the systemd unit kubelet\.service is masked\. Unmask it /,
    ),
  ]);
});
