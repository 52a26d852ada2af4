import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { yamlDocuments } from '../../../../test/support/kubeadm/yaml-documents.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { clearRun } from '../run/run-kubeadm.ts';
import { KubeadmCall } from './call.ts';
import { SHAPED_CONFIG, type ShapeOptions, shapedArguments } from './shaped-arguments.ts';

const CONFIG = '/run/kubeadm/join.yaml';
const JOIN = `apiVersion: kubeadm.k8s.io/v1beta3
kind: JoinConfiguration
discovery:
  bootstrapToken: {token: abcdef.0123456789abcdef, apiServerEndpoint: "api:6443", unsafeSkipCAVerification: true}
`;

describe('shapedArguments', () => {
  let root: string;
  let host: Host;
  beforeEach(() => {
    root = scratch();
    host = createLinuxHost({ root });
  });

  const shapeOf = async (command: KubeadmCommand, options: ShapeOptions) =>
    shapedArguments(host, await new KubeadmCall(host, command).read(), options);
  const shape = (args: string[], verb: 'init' | 'join' = 'join', minor?: number) => {
    const command: KubeadmCommand = { kind: 'kubeadm', verb, args: sensitive(args), configPath: CONFIG };
    return shapeOf(command, { discoveryTimeoutSeconds: 60, minor });
  };
  const shapedValues = async () => yamlDocuments((await host.files.read(SHAPED_CONFIG)).toString());
  const shaped = async (args: string[], verb?: 'init' | 'join') => (await shape(args, verb)).args;

  it('gives kubeadm a copy with the timeout, for its eyes only, and takes it away with the run', async () => {
    await host.files.write(CONFIG, JOIN);
    expect(await shaped(['--config', CONFIG, '--v', '5'])).toEqual(['--config', SHAPED_CONFIG, '--v', '5']);
    expect(await shaped([`--config=${CONFIG}`])).toEqual([`--config=${SHAPED_CONFIG}`]);
    expect(await shapedValues()).toEqual(yamlDocuments(JOIN.replace('  boot', '  timeout: 1m0s\n  boot')));
    expect(statSync(join(root, SHAPED_CONFIG)).mode & 0o777).toBe(0o600);
    await clearRun(host);
    expect(await host.files.stat(SHAPED_CONFIG)).toBeUndefined();
  });

  it('gives kubeadm JSON where the file is JSON, for kubeadm reads what begins with a brace as nothing else', async () => {
    const config = { apiVersion: 'kubeadm.k8s.io/v1beta4', kind: 'JoinConfiguration' };
    const bootstrapToken = { token: 'abcdef.0123456789abcdef', apiServerEndpoint: 'api:6443' };
    const discovery = { bootstrapToken: { ...bootstrapToken, unsafeSkipCAVerification: true } };
    await host.files.write(CONFIG, JSON.stringify({ ...config, discovery }));
    await shaped(['--config', CONFIG]);
    const given = (await host.files.read(SHAPED_CONFIG)).toString();
    expect(JSON.parse(given)).toEqual({ ...config, discovery, timeouts: { discovery: '1m0s' } });
  });

  it('asks another API server, and waits no longer than there is time', async () => {
    const text = `${JOIN.replace('  boot', '  timeout: 5m0s\n  boot')}`;
    await host.files.write(CONFIG, text);
    const command: KubeadmCommand = {
      ...{ kind: 'kubeadm', verb: 'join', configPath: CONFIG },
      args: sensitive(['--config', CONFIG]),
    };
    const options = { discoveryTimeoutSeconds: 60, capSeconds: 45, endpoint: '10.0.0.2:6443' };
    await shapeOf(command, options);
    expect(await shapedValues()).toEqual(
      yamlDocuments(text.replace('5m0s', '45s').replace('"api:6443"', '"10.0.0.2:6443"')),
    );
    const { configPath: _, ...onLine } = command;
    const args = sensitive(['--token', 'x', 'api:6443', '--v=5']);
    expect((await shapeOf({ ...onLine, args }, options)).args).toEqual([
      '--token',
      'x',
      '10.0.0.2:6443',
      '--v=5',
    ]);
  });

  it('gives a join by flags a configuration with the timeout, and leaves to kubeadm what it refuses', async () => {
    const joining = (...args: string[]): KubeadmCommand => ({
      ...{ kind: 'kubeadm', verb: 'join' },
      args: sensitive(['api:6443', '--discovery-token-unsafe-skip-ca-verification', ...args]),
    });
    const good = joining('--token', 'abcdef.0123456789abcdef', '--v=5');
    const options = { discoveryTimeoutSeconds: 60, capSeconds: 45, endpoint: '10.0.0.2:6443', minor: 36 };
    const { args } = await shapeOf({ ...good, patches: '/p' }, options);
    expect(args).toEqual([`--config=${SHAPED_CONFIG}`, '--v=5']);
    const text = (await host.files.read(SHAPED_CONFIG)).toString();
    expect(text).toContain('apiServerEndpoint: "10.0.0.2:6443"');
    expect(text).toContain('discovery: "45s"');
    expect(text).toContain('patches:\n  directory: "/p"');
    await shapeOf(good, { discoveryTimeoutSeconds: 60, minor: 20 });
    expect((await host.files.read(SHAPED_CONFIG)).toString()).toContain('timeout: "1m0s"');
    expect(statSync(join(root, SHAPED_CONFIG)).mode & 0o777).toBe(0o600);
    const bad = joining('--token', 'nonsense');
    expect((await shapeOf(bad, { discoveryTimeoutSeconds: 60, minor: 36 })).args).toEqual(bad.args.reveal());
  });

  it.each([
    ['the user set a timeout', JOIN.replace('  boot', '  timeout: 20s\n  boot'), 'join' as const],
    ['it is an init', 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: InitConfiguration\n', 'init' as const],
  ])('changes nothing when %s', async (_, text, verb) => {
    await host.files.write(CONFIG, text);
    expect(await shaped(['--config', CONFIG], verb)).toEqual(['--config', CONFIG]);
    expect(await host.files.stat(SHAPED_CONFIG)).toBeUndefined();
  });

  it('leaves it to kubeadm to complain of a missing file, and complains of a broken one itself', async () => {
    expect(await shaped(['--config', CONFIG])).toEqual(['--config', CONFIG]);
    await host.files.write(CONFIG, 'a: [\n');
    await expect(shaped(['--config', CONFIG], 'init')).rejects.toMatchObject({
      failure: {
        code: 'KubeadmConfigInvalid',
        cause: expect.stringMatching(/\/run\/kubeadm\/join.yaml.*line \d/),
      },
    });
  });

  it('gives an older kubeadm what it can read, and the rest as flags', async () => {
    const newer = JOIN.replace('v1beta3', 'v1beta4');
    await host.files.write(CONFIG, `${newer}skipPhases: [preflight]\n`);
    const { args, warnings, converted } = await shape(['--config', CONFIG], 'join', 20);
    expect(args).toEqual(['--config', SHAPED_CONFIG, '--skip-phases=preflight']);
    expect(warnings).toEqual([]);
    expect(converted).toEqual({ from: 'v1beta4', to: 'v1beta2' });
    const copy = (await host.files.read(SHAPED_CONFIG)).toString();
    expect(copy).toMatch(/^apiVersion: "kubeadm.k8s.io\/v1beta2"$/m);
    expect(copy).toContain('timeout: "1m0s"');
    expect((await shape(['--config', CONFIG, '--skip-phases', 'a'], 'join', 20)).args).not.toContain(
      '--skip-phases=preflight',
    );
  });

  it('refuses what kubeadm is sure to refuse, with the place and without the secret', async () => {
    await host.files.write(CONFIG, JOIN.replace('0123456789abcdef', 'Secret'));
    await expect(shape(['--config', CONFIG])).rejects.toMatchObject({
      failure: {
        code: 'KubeadmConfigInvalid',
        cause: expect.stringMatching(/token is not in the form.*join.yaml line 4, column 20\)/),
      },
    });
    await expect(shape(['--config', CONFIG])).rejects.not.toThrow(/Secret/);
  });
});
