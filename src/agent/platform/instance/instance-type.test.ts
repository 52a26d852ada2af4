import { expect, test } from 'vitest';
import { instanceTypeOf } from './instance-type.ts';

const cloud = { name: 'gce', platform: 'gce', subplatform: 'metadata', addresses: [], publicKeys: [] };

test.each([
  [{ 'instance-type': 'm5.large' }, 'm5.large'],
  [{ imds: { compute: { vmSize: 'Standard_D2s_v3' } } }, 'Standard_D2s_v3'],
  [{ shape: 'VM.Standard.E4.Flex' }, 'VM.Standard.E4.Flex'],
  [{ 'instance-type': 7, imds: 'x' }, undefined],
  [{ 'instance-type': 'x'.repeat(4096) }, undefined],
  [{}, undefined],
])('%j', (metaData, wanted) => {
  expect(instanceTypeOf({ metaData, source: 'x' })).toBe(wanted);
});

test('what the source itself says comes first', () => {
  const metaData = { 'instance-type': 'other' };
  expect(
    instanceTypeOf({ metaData, source: 'gce', cloud: { ...cloud, instanceType: 'n2-standard-4' } }),
  ).toBe('n2-standard-4');
});
