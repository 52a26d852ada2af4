import { expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { readConfig } from '../../../kubeadm/config/config.ts';
import { apiServer } from './api-server.ts';

const found = async (noProxy: string) => {
  const env: Record<string, string> = { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: noProxy };
  const host = { ...createLinuxHost({ root: scratch() }), env: (name: string) => env[name] };
  const args = ['--control-plane-endpoint=127.0.0.1:2', '--apiserver-advertise-address=127.0.0.3'];
  const config = readConfig({ verb: 'init', args });
  const findings = await apiServer.run(host, { config, attempted: false, mend: false });
  return findings.map(({ severity, code, message }) => `${severity} ${code} ${message}`);
};

it('warns of a proxy between kubeadm and its own control plane', async () => {
  expect(await found('localhost')).toEqual([
    expect.stringMatching(/^warning ApiServerUnreachable .*127\.0\.0\.3.*NO_PROXY/),
  ]);
  expect(await found('127.0.0.0/8')).toEqual([]);
});
