import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { KubeadmCall } from './call.ts';

const CONFIG = '/run/kubeadm/join.yaml';
const JOIN = 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\n';

describe('a call of kubeadm', () => {
  let root: string;
  let host: Host;
  beforeEach(() => {
    root = scratch();
    host = createLinuxHost({ root });
  });

  const command: KubeadmCommand = {
    kind: 'kubeadm',
    verb: 'join',
    args: sensitive(['--config', CONFIG, '--node-name=n1']),
    configPath: CONFIG,
  };

  it('is parsed once, and again only when its configuration is another', async () => {
    await host.files.write(CONFIG, `${JOIN}nodeRegistration: {criSocket: /a.sock}\n`);
    const call = new KubeadmCall(host, command);
    const first = await call.read();
    expect(first.config).toMatchObject({ nodeName: 'n1', criSocket: '/a.sock', controlPlane: false });
    expect(await call.read()).toBe(first);
    await host.files.write(CONFIG, `${JOIN}controlPlane: {}\n`);
    expect((await call.read()).config).toMatchObject({ controlPlane: true });
  });

  it('says what its flags say while its configuration is not there yet', async () => {
    const call = new KubeadmCall(host, command);
    const before = await call.read();
    expect(before).not.toHaveProperty('text');
    expect(before.config).toMatchObject({ nodeName: 'n1' });
    await host.files.write(CONFIG, `${JOIN}certificatesDir: /x\ncaCertPath: /x/ca.crt\n`);
    expect((await call.read()).config).toMatchObject({ caCertPath: '/x/ca.crt' });
  });

  it('has a problem with line and column instead where the configuration cannot be read', async () => {
    await host.files.write(CONFIG, 'a: [\n');
    const { config, problem, documents } = await new KubeadmCall(host, command).read();
    expect(config).toBeUndefined();
    expect(documents).toEqual([]);
    expect(problem?.failure).toMatchObject({ code: 'KubeadmConfigInvalid' });
    expect(problem?.failure.cause).toMatch(/join\.yaml is not valid: .*line \d+, column \d+/);
  });
});
