import { expect, it } from 'vitest';
import type { Found, SourceCallback } from './contract/answer.ts';
import { mergeMetadata } from './merge-metadata.ts';

const callback = (when: SourceCallback['when'], title: string): SourceCallback => ({
  when,
  title,
  run: async () => undefined,
});
const network = (name: string): NonNullable<Found['networkConfig']> => ({
  format: 'cloud-init',
  text: 'version: 2',
  place: name,
});

const FIRST: Found = {
  source: 'nocloud (/seed)',
  userData: Buffer.from('#cloud-config\n'),
  metaData: { 'instance-id': 'i-seed' },
  ds: { of: 'the seed' },
  cloud: { name: 'seed', platform: 'seed', subplatform: 'seed', addresses: [], publicKeys: [] },
  deviceAliases: { ephemeral0: '/dev/seed' },
  callbacks: [callback('succeeded', 'clear the seed away')],
};
const OTHER: Found = {
  source: 'ec2 (http://169.254.169.254)',
  userData: Buffer.from('of the cloud'),
  vendorData: Buffer.from('of the cloud too'),
  metaData: { 'instance-id': 'i-cloud' },
  networkConfig: network('the cloud'),
  callbacks: [callback('read', 'say that it was read'), callback('succeeded', 'clear its user data away')],
};

it('takes nothing of the instance from the source of the user data, and no user data of the other', () => {
  const { callbacks = [], ...answer } = mergeMetadata(FIRST, { kind: 'found', ...OTHER }, 'ec2') as Found;
  expect(answer).toEqual({
    kind: 'found',
    source: 'nocloud (/seed) with metadata of ec2 (http://169.254.169.254)',
    metadataOf: OTHER.source,
    userData: FIRST.userData,
    metaData: OTHER.metaData,
    networkConfig: OTHER.networkConfig,
    remarks: [],
  });
  // Its callback of a success is for its own user data, not for others'.
  expect(callbacks.map(({ title }) => title)).toEqual(['clear the seed away', 'say that it was read']);
});

it('has the network of the source of the user data, where it tells one', () => {
  const answer = mergeMetadata(
    { ...FIRST, networkConfig: network('the seed') },
    { kind: 'found', ...OTHER },
    'ec2',
  );
  expect(answer).toMatchObject({ networkConfig: network('the seed') });
});

it.each(['not-yet', 'needs-network', 'refused'] as const)(
  'waits or ends as the other source says: %s',
  (kind) => {
    const answer = { kind, source: 'ec2', reason: 'its own words' };
    expect(mergeMetadata(FIRST, answer, 'ec2')).toBe(answer);
  },
);
