import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { capaUserData } from '../../userdata/chunked/fixtures/capa.ts';
import { applyCommand } from './apply.ts';

async function applied(userData: string, partly: boolean) {
  const file = join(scratch(), 'user-data');
  writeFileSync(file, userData);
  const root = scratch();
  let told = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
  try {
    const status = await applyCommand(file, { root, partly });
    return { status, told, made: readdirSync(root) };
  } finally {
    spy.mockRestore();
  }
}

const SEALED = `apiVersion: slipway.dev/v1alpha1
kind: SealedUserData
sealed: {machine: 6ad2, expires: "2026-11-22T12:00:00Z", digest: "sha256:${'a'.repeat(64)}", part: controller, key: controller}
`;

it.each([
  ['a boothook of CAPA', capaUserData({ service: 'ssm' }), false],
  ['the same, partly', capaUserData({ service: 'ssm' }), true],
  ['a stub', SEALED, false],
  ['the same, partly', SEALED, true],
])('refuses what only says where the user data is, as plan does: %s', async (_, userData, partly) => {
  const { status, told, made } = await applied(userData, partly);
  expect({ status, made }).toEqual({ status: 2, made: [] });
  expect(told).toMatch(
    /error: The user data is only a reference .* \[UserDataSealed\]\n.*nothing was changed/,
  );
});

it('tells what kubeadm will not take of the file that it writes', async () => {
  const file =
    'apiVersion: kubeadm.k8s.io/v1beta4\\nkind: JoinConfiguration\\ndiscovery: {bootstrapToken: {token: 1}}\\n';
  const userData = `#cloud-config\nwrite_files: [{path: /a, content: "${file}"}]\nruncmd: [kubeadm join --config /a]\n`;
  const { status, told, made } = await applied(userData, true);
  expect({ status, made }).toEqual({ status: 0, made: ['a'] });
  expect(told).toMatch(/warning: user data line 2, column \d+: discovery.*\[KubeadmConfigInvalid\]/);
});

it('refuses before it changes anything what the directory cannot take', async () => {
  const userData =
    '#cloud-config\nwrite_files:\n- {path: /a, content: x}\n- {path: /b, content: x, owner: bob}\n';
  const { status, told, made } = await applied(userData, true);
  expect({ status, made }).toEqual({ status: 2, made: [] });
  expect(told).toMatch(/error: user data line 4, column \d+: \/b cannot be written: there is no user/);
});
