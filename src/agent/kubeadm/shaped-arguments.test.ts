import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sensitive } from '../../kit/sensitive.ts';
import type { KubeadmCommand } from '../../protocol/document.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { forgetRun } from './run.ts';
import { SHAPED_CONFIG, shapedArguments } from './shaped-arguments.ts';

const CONFIG = '/run/kubeadm/join.yaml';
const JOIN =
  'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\ndiscovery:\n  bootstrapToken: {}\n';

describe('shapedArguments', () => {
  let root: string;
  let host: Host;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'slipway-shaped-'));
    host = createLinuxHost({ root });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const shaped = (args: string[], verb: 'init' | 'join' = 'join') => {
    const command: KubeadmCommand = { kind: 'kubeadm', verb, args: sensitive(args), configPath: CONFIG };
    return shapedArguments(host, command, 60);
  };

  it('gives kubeadm a copy with the timeout, for its eyes only, and takes it away with the run', async () => {
    await host.files.write(CONFIG, JOIN);
    expect(await shaped(['--config', CONFIG, '--v', '5'])).toEqual(['--config', SHAPED_CONFIG, '--v', '5']);
    expect(await shaped([`--config=${CONFIG}`])).toEqual([`--config=${SHAPED_CONFIG}`]);
    expect((await host.files.read(SHAPED_CONFIG)).toString()).toBe(
      JOIN.replace('  boot', '  timeout: 1m0s\n  boot'),
    );
    expect(statSync(join(root, SHAPED_CONFIG)).mode & 0o777).toBe(0o600);
    await forgetRun(host);
    expect(await host.files.stat(SHAPED_CONFIG)).toBeUndefined();
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
});
