import { beforeEach, describe, expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import type { BootstrapOwner } from './bootstrap-owner.ts';
import { findOwner } from './find-owner.ts';

const CONFIG_REF = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'config' };
const OLD_REF = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta1', kind: 'KubeadmConfig', name: 'config' };

let machines: object[];
let pools: object[] | KubeError;

beforeEach(() => {
  machines = [];
  pools = [];
});

const machine = (name: string, configRef: object = CONFIG_REF): object => ({
  metadata: { name, uid: `uid-${name}` },
  spec: { bootstrap: { configRef } },
});

const pool = (name: string, more: object = {}, configRef: object = CONFIG_REF): object => ({
  metadata: { name, uid: `uid-${name}`, ...more },
  spec: { template: { spec: { bootstrap: { configRef } } } },
});

function find(): Promise<BootstrapOwner | undefined> {
  const request = async (_: string, path: string): Promise<unknown> => {
    if (path.endsWith('/machines')) return { metadata: {}, items: machines };
    if (!path.endsWith('/machinepools')) throw new KubeError(404, 'NotFound', `${path} is not there`);
    if (pools instanceof KubeError) throw pools;
    return { metadata: {}, items: pools };
  };
  const config = { kind: 'KubeadmConfig', group: 'bootstrap.cluster.x-k8s.io', name: 'config' };
  const secret = { cluster: 'demo', config, value: Buffer.alloc(0) };
  return findOwner({ request } as unknown as KubeClient, 'v1beta2', 'ns', secret);
}

describe('findOwner', () => {
  it.each([
    ['v1beta2', CONFIG_REF],
    ['v1beta1', OLD_REF],
  ])('finds the MachinePool by the reference of %s, with its label', async (_, ref) => {
    pools = [
      pool('other', {}, { ...ref, name: 'another' }),
      pool('workers', { labels: { 'slipway.dev/bootstrap-data': 'none' } }, ref),
    ];
    expect(await find()).toEqual({
      ...{ kind: 'MachinePool', name: 'workers', uid: 'uid-workers', cluster: 'demo', mode: 'none' },
      ...{ isOver: false, namesTpm: false },
    });
  });

  it('gives neither a token where a Machine and a MachinePool name one config', async () => {
    machines = [machine('forged')];
    pools = [pool('workers')];
    await expect(find()).rejects.toThrow(
      'Machine forged and MachinePool workers both name KubeadmConfig config',
    );
  });

  it('knows nobody where several name one config, or it is of another kind', async () => {
    pools = [pool('workers'), pool('forged')];
    expect(await find()).toBeUndefined();
    pools = [pool('workers', {}, { ...CONFIG_REF, kind: 'RKE2Config' })];
    expect(await find()).toBeUndefined();
  });

  it('is over with a pool that is being deleted', async () => {
    pools = [pool('workers', { deletionTimestamp: '2026-01-01T00:00:00Z' })];
    expect(await find()).toMatchObject({ isOver: true });
  });

  it('serves Machines without pools, and says which rights are missing where only a pool could have it', async () => {
    machines = [machine('w1')];
    for (const status of [404, 403]) {
      pools = new KubeError(status, 'x', 'machinepools is forbidden');
      expect(await find()).toMatchObject({ kind: 'Machine', name: 'w1' });
    }
    machines = [];
    await expect(find()).rejects.toThrow('apply manifests/webhook/rights.yaml anew');
    pools = new KubeError(404, 'NotFound', 'the server could not find the requested resource');
    expect(await find()).toBeUndefined();
  });
});
