import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { areaOfEndorsementKey } from '../../../tpm/objects/templates.ts';
import { sealFile } from '../../../tpm/sealing/sealed-file.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { openSealedKubeadmFiles } from './open-sealed-kubeadm-files.ts';

const KEY = '/etc/kubernetes/pki/etcd/ca.key';
const COMMAND: KubeadmCommand = {
  ...{ kind: 'kubeadm', verb: 'join', args: sensitive([]), configPath: '/run/kubeadm/join.yaml' },
};

let root: string;
beforeEach(() => {
  root = scratch();
  for (const folder of ['etc/kubernetes/pki/etcd', 'run/kubeadm'])
    mkdirSync(join(root, folder), { recursive: true });
});

it('says which file does not open, and leaves it as it is', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ek = areaOfEndorsementKey(createPublicKey(privateKey));
  const text = sealFile({ ek, path: KEY, content: Buffer.from('a key') });
  writeFileSync(join(root, KEY), text);
  const found = await openSealedKubeadmFiles(createLinuxHost({ root }), COMMAND);
  // This machine has no TPM below its root.
  expect(found).toEqual([{ severity: 'error', code: 'TpmAbsent', message: expect.any(String) }]);
  expect(readFileSync(join(root, KEY), 'utf8')).toBe(text);
});

it('looks at no TPM where nothing is sealed', async () => {
  writeFileSync(join(root, KEY), 'a key');
  writeFileSync(join(root, '/run/kubeadm/join.yaml'), 'kind: JoinConfiguration');
  const host = createLinuxHost({ root });
  const tpm = () => Promise.reject(new Error('it was asked'));
  expect(await openSealedKubeadmFiles({ ...host, tpm }, COMMAND)).toEqual([]);
});
