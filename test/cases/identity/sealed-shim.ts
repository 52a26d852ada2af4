import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSealedKubeadmFiles } from '../../../src/agent/cli/shim/open-sealed-kubeadm-files.ts';
import { readTpm } from '../../../src/agent/identity/tpm/read-tpm.ts';
import { sensitive } from '../../../src/secrets/sensitive.ts';
import { controllerCommand } from '../../support/controller/controller-process.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';

const CONFIG = '/run/kubeadm/kubeadm-join-config.yaml';
const FILES = {
  [CONFIG]: ['kind: JoinConfiguration\n', 0o640],
  '/etc/kubernetes/pki/ca.key': ['a key of the cluster\n', 0o600],
  '/etc/kubernetes/pki/etcd/ca.key': ['a key of etcd\n', 0o600],
} as const;

/** The files of a control plane, sealed one by one, are opened where cloud-init wrote them before kubeadm reads them. */
export async function sealedShim(
  [one, two]: readonly [MachineWithTpm, MachineWithTpm],
  say: (line: string) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-shim-'));
  const command = { kind: 'kubeadm', verb: 'join', args: sensitive([]), configPath: CONFIG } as const;
  const { files } = one.host;
  try {
    const { endorsementKey, publicKey } = await readTpm(one.host);
    const identity = join(folder, 'identity.json');
    await writeFile(identity, JSON.stringify({ endorsementKey, publicKey, pcrs: { sha256: {} } }));
    for (const [path, [content, mode]] of Object.entries(FILES)) {
      await writeFile(join(folder, 'content'), content);
      const words = ['seal', join(folder, 'content'), `--for=${identity}`, `--path=${path}`];
      const { code, stdout, stderr } = await controllerCommand(words);
      assert.equal(code, 0, stderr);
      await files.write(path, stdout, { mode });
      await two.host.files.write(path, stdout, { mode });
    }
    assert.equal((await openSealedKubeadmFiles(two.host, command))[0]?.code, 'SealedFileForeign');
    for (let times = 0; times < 2; times += 1)
      assert.deepEqual(await openSealedKubeadmFiles(one.host, command), []);
    for (const [path, [content, mode]] of Object.entries(FILES)) {
      assert.equal((await files.read(path)).toString(), content);
      assert.equal(((await files.stat(path))?.mode ?? 0) & 0o777, mode);
      assert.match((await two.host.files.read(path)).toString(), /SEALED FILE/);
    }
    // Through a link that root laid: the file's permissions count, for a link has all.
    const [ca = ''] = Object.keys(FILES).filter((path) => path.endsWith('/pki/ca.key'));
    await files.rename(ca, '/etc/kubernetes/kept.key');
    await files.write('/etc/kubernetes/kept.key', await two.host.files.read(ca), { mode: 0o600 });
    await files.symlink('/etc/kubernetes/kept.key', ca);
    assert.deepEqual(await openSealedKubeadmFiles(one.host, command), []);
    assert.equal((await files.read(ca)).toString(), FILES['/etc/kubernetes/pki/ca.key'][0]);
    assert.equal((await files.stat('/etc/kubernetes/kept.key'))?.mode, 0o600);
  } finally {
    for (const { host } of [one, two])
      for (const path of ['/run', '/etc/kubernetes']) await host.files.remove(path);
    await rm(folder, { recursive: true });
  }
  say("the shim opens a control plane's files where they lie, on their machine alone");
}
