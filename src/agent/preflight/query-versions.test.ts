import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import type { Command, Document, KubeadmCommand, UnitEntry } from '../document/document.ts';
import { nothingAsked } from '../document/nothing-asked.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { prefetchVersions, queryVersions } from './query-versions.ts';

let root: string;
let asked: string[];
beforeEach(() => {
  root = scratch();
  asked = [];
  put('/usr/bin/kubeadm', '\x7fELF');
  put('/usr/bin/kubelet', '\x7fELF');
});

function put(path: string, content: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), content, { mode: 0o755 });
}

/** A machine that lies below a directory, and says that it does not. */
function machine(): Host {
  const base = createLinuxHost({ root });
  const run: Host['processes']['run'] = async ({ argv }) => {
    asked.push(argv.join(' '));
    const stdout = argv[0].endsWith('kubeadm') ? 'v1.36.0\n' : 'Kubernetes v1.35.1\n';
    return { exitStatus: 0, stdout, stderr: '', timedOut: false, ms: 1 };
  };
  return { ...base, root: '/', processes: { ...base.processes, run } };
}

const ahead = (host: Host, before: Partial<Document> = {}) =>
  prefetchVersions(host, { ...nothingAsked(), commands: [JOIN], ...before }, new AbortController().signal);
const JOIN: KubeadmCommand = { kind: 'kubeadm', verb: 'join', args: sensitive([]) };
const COMMAND: Command = { kind: 'command', shell: sensitive('cp /root/kubeadm /usr/bin'), program: 'cp' };
const BOTH = ['/usr/bin/kubeadm version -o short', '/usr/bin/kubelet --version'];

it('asks each for its version, and the check of the machine asks neither again', async () => {
  const host = machine();
  await ahead(host);
  expect(asked.toSorted()).toEqual(BOTH);
  expect(await queryVersions(host)).toMatchObject({ kubeadmMinor: 36, kubelet: { minor: 35 } });
  expect(asked).toHaveLength(2);
});

it('asks no kubeadm that is not there yet', async () => {
  rmSync(join(root, '/usr/bin/kubeadm'));
  await ahead(machine());
  expect(asked).toEqual([BOTH[1]]);
});

it.each([
  ['a command', { commands: [COMMAND, JOIN] }],
  ['a command of the boot', { bootCommands: [COMMAND] }],
  ['a script of the boot', { bootScripts: [COMMAND] }],
  ['a unit', { units: [{ name: 'fetch-kubeadm.service' } as UnitEntry] }],
  ['no kubeadm', { commands: [] }],
])('asks nothing ahead where there is %s: what runs before kubeadm may write over it', async (_, before) => {
  await ahead(machine(), before);
  expect(asked).toEqual([]);
});

it('asks nothing on a node, nor below a root directory', async () => {
  await ahead(createLinuxHost({ root }));
  put('/etc/kubernetes/kubelet.conf', '');
  put('/var/lib/kubelet/pki/kubelet-client-current.pem', '');
  await ahead(machine());
  expect(asked).toEqual([]);
});
