import { expect, it } from 'vitest';
import type { StepContext } from '../../engine/step.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import type { Shared } from '../kind/shared.ts';
import { stepsOf } from '../kind/step-kind.ts';
import { leftCall } from './kinds.ts';
import { seeNode } from './left-call.ts';

async function planned(runcmd: string, more = ''): Promise<string[]> {
  const raw = Buffer.from(`#cloud-config\n${more}runcmd:\n- |\n  ${runcmd.replaceAll('\n', '\n  ')}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  return stepsOf(leftCall, document).map(({ title }) => title);
}

it.each([
  ['kubeadm join --config /a 2>&1 | tee /root/log', 'join'],
  ['kubeadm join --config /a || true', 'join'],
  ['if ! kubeadm init --config /a; then\n  echo failed\nfi', 'init'],
  ['kubeadm join --config /a &>/root/log; echo joined', 'join'],
])('is looked for after %s', async (runcmd, verb) => {
  expect(await planned(runcmd)).toEqual([`see that kubeadm ${verb} has made a node`]);
});

it.each([
  ['a call that is taken over', 'kubeadm join --config /a'],
  ['one that goes on behind the commands', 'kubeadm join --config /a &'],
  ['one in the background of a script', '(kubeadm join --config /a &)\necho begun'],
  ['one that a unit makes', 'systemd-run kubeadm join --config /a'],
  ['one that nohup leaves alone', 'nohup kubeadm join --config /a >/root/log 2>&1 &'],
  ['no call at all', 'echo kubeadm'],
])('is not looked for after %s', async (_, runcmd) => {
  expect(await planned(runcmd)).toEqual([]);
});

it('is looked for once in a very long line', async () => {
  const line = `kubeadm join --config /a | cat; echo ${'kubeadm & '.repeat(300_000)}x`;
  expect(await planned(line)).toEqual(['see that kubeadm join has made a node']);
});

it('is not looked for where no node is asked for', async () => {
  expect(await planned('kubeadm join --config /a | tee /b', 'slipway: {kubeadm: none}\n')).toEqual([]);
});

/** On a machine that has these files. */
function seen(verb: 'init' | 'join', ...paths: string[]) {
  const base = createLinuxHost();
  const stat = { kind: 'file', size: 1, mode: 0o600, uid: 0, gid: 0 } as const;
  const files = { ...base.files, stat: async (path: string) => (paths.includes(path) ? stat : undefined) };
  return seeNode({ verb }, {} as Shared).run({ host: { ...base, files } } as unknown as StepContext);
}

const CONFIG = '/etc/kubernetes/kubelet.conf';
const CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';

it('fails where the command has ended well and the kubelet has no certificate', async () => {
  for (const paths of [[], [CONFIG]])
    expect(await seen('join', ...paths)).toMatchObject({
      done: false,
      retry: 'no',
      failure: {
        code: 'KubeadmNotTakenOver',
        cause: expect.stringContaining('kubeadm join, which one of them'),
      },
    });
});

it('is well where it has', async () => {
  expect(await seen('join', CONFIG, CERTIFICATE)).toEqual({ done: true });
  expect(await seen('init', CONFIG, CERTIFICATE)).toMatchObject({ done: false });
});
