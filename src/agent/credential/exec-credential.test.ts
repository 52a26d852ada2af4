import { expect, it } from 'vitest';
import { execApiVersion, execCredentialResponse, requestedVersion } from './exec-credential.ts';

const info = (apiVersion: unknown, kind = 'ExecCredential') => JSON.stringify({ kind, apiVersion, spec: {} });

it.each(['v1', 'v1beta1'])('answers in the version that it is asked in: %s', (name) => {
  const version = `client.authentication.k8s.io/${name}`;
  expect(requestedVersion(info(version))).toBe(version);
  const said = JSON.parse(execCredentialResponse(version, { certificate: 'C', key: 'K' }, 1_800_000_000_123));
  expect(said).toEqual({
    ...{ apiVersion: version, kind: 'ExecCredential' },
    status: {
      ...{ clientCertificateData: 'C', clientKeyData: 'K' },
      expirationTimestamp: '2027-01-15T08:00:00Z',
    },
  });
});

it.each([
  undefined,
  '',
  'null',
  '[]',
  '{"kind":"ExecCredential"',
  info('client.authentication.k8s.io/v1alpha1'),
  info('client.authentication.k8s.io/v2'),
  info(7),
  info('client.authentication.k8s.io/v1', 'Secret'),
])('speaks no other one: %s', (text) => {
  expect(requestedVersion(text)).toBeUndefined();
});

it('writes what a kubelet of that time reads', () => {
  expect([20, 21, 22, 36].map(execApiVersion)).toEqual(
    ['v1beta1', 'v1beta1', 'v1', 'v1'].map((name) => `client.authentication.k8s.io/${name}`),
  );
});
