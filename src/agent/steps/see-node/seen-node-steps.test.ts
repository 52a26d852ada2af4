import { expect, it } from 'vitest';
import { readUserData } from '../../userdata/read-user-data.ts';
import { plan } from '../plan.ts';

const unit =
  '[Service]\nType=oneshot\nExecStart=/usr/bin/kubeadm join --config /a\n[Install]\nWantedBy=multi-user.target\n';
const ignition = (enabled?: boolean) =>
  JSON.stringify({
    ignition: { version: '3.4.0' },
    systemd: {
      units: [{ name: 'kj.service', contents: unit, ...(enabled === undefined ? {} : { enabled }) }],
    },
  });
const runcmd = (text: string, more = '') =>
  `#cloud-config\n${more}runcmd:\n- |\n  ${text.replaceAll('\n', '\n  ')}\n`;
const SCRIPT =
  "write_files:\n- path: /opt/j.sh\n  permissions: '0755'\n  content: |\n    #!/bin/sh\n    kubeadm join --config /a\n";

/** The last step of the plan, if it looks for a node. */
async function lastStep(text: string): Promise<string | undefined> {
  const document = await readUserData(Buffer.from(text), { source: 'file', metaData: {} });
  return plan(document).find(({ id }) => id === 'node')?.title;
}

it.each([
  ['a pipe', runcmd('kubeadm join --config /a 2>&1 | tee /root/log'), 'join'],
  ['a status that is thrown away', runcmd('kubeadm join --config /a || true'), 'join'],
  ['a condition', runcmd('if ! kubeadm init --config /a; then\n  echo failed\nfi'), 'init'],
  ['a command in the background', runcmd('nohup kubeadm join --config /a >/root/log 2>&1 &'), 'join'],
  ['systemd-run', runcmd('systemd-run --no-block kubeadm join --config /a'), 'join'],
  ['a script of write_files', runcmd('/opt/j.sh', SCRIPT), 'join'],
  ['a script of write_files in the background', runcmd('nohup /opt/j.sh &', SCRIPT), 'join'],
  ['a boot command', '#cloud-config\nbootcmd: [kubeadm join --config /a || true]\n', 'join'],
  ['an enabled unit of Ignition', ignition(true), 'join'],
  ['a unit that nothing enables', ignition(), 'join'],
  ['a MIME script', '#!/bin/bash\nkubeadm join --config /a\necho done\n', 'join'],
])('waits for the node after %s', async (_, text, verb) => {
  expect(await lastStep(text)).toBe(`see that kubeadm ${verb} has made a node`);
});

it.each([
  ['a program of the image', runcmd('/usr/local/bin/bootstrap-node.sh --role worker')],
  ['a script from a server', runcmd('curl -fsSL http://10.0.0.1:8000/join.sh | bash')],
])('looks once after %s', async (_, text) => {
  expect(await lastStep(text)).toBe('see whether this machine has become a node');
});

it.each([
  ["Slipway's own call", runcmd('kubeadm join --config /a')],
  ['user data that wants no node', runcmd('kubeadm join --config /a | tee /b', 'slipway: {kubeadm: none}\n')],
])('looks for no node after %s', async (_, text) => {
  expect(await lastStep(text)).toBeUndefined();
});

it('reads a very long line once', async () => {
  const line = `kubeadm join --config /a | cat; echo ${'kubeadm & '.repeat(300_000)}x`;
  expect(await lastStep(runcmd(line))).toBe('see that kubeadm join has made a node');
});
