import { pluralize } from '../../../kit/pluralize.ts';
import type { ArrayEntry } from '../../document/document.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { missingTools } from '../storage/devices/missing-tools.ts';
import { storesFor } from '../tools/secret-files.ts';
import type { EncryptionSpec } from './volume.ts';

/** Kinds of steps for what lies between disks and file systems: RAID arrays and encryption. */
export const arrays: StepKind<{ entries: ArrayEntry[] }> = {
  name: 'arrays',
  plan: ({ arrays: entries = [] }) =>
    entries.length === 0
      ? []
      : [{ id: 'raid', title: `make ${pluralize(entries.length, 'RAID array')}`, spec: { entries } }],
  details: ({ entries }) =>
    entries.map(({ name, level, devices }) => `${name}, ${level} of ${devices.join(', ')}`),
  preview: (specs, context) =>
    missingTools(
      specs
        .flatMap(({ entries }) => entries)
        .map(({ name, where }) => ({ program: 'mdadm', what: `make the array ${name}`, where })),
      context,
    ),
  work: async () => (await import('./arrays.ts')).makeArrays,
};

export const encryptions: StepKind<EncryptionSpec> = {
  name: 'encryptions',
  plan: (document) => {
    const { encryptions: entries = [], fetching = { authorities: [] } } = document;
    if (entries.length === 0) return [];
    const keys = entries.flatMap(({ key }) => (key ? [key] : []));
    const spec = { entries, fetching, ...storesFor(document, keys) };
    return [{ id: 'luks', title: `encrypt ${pluralize(entries.length, 'device')}`, spec }];
  },
  details: ({ entries }) =>
    entries.map(({ name, device, wipe, clevis }) =>
      [`${device} as /dev/mapper/${name}`, ...(wipe ? ['anew'] : []), ...(clevis ? ['by clevis'] : [])].join(
        ' ',
      ),
    ),
  preview: (specs, context) =>
    missingTools(
      specs
        .flatMap(({ entries }) => entries)
        .flatMap(({ name, clevis, where }) => [
          { program: 'cryptsetup', what: `encrypt ${name}`, where },
          ...(clevis ? [{ program: 'clevis', what: `bind ${name} to its keys`, where }] : []),
        ]),
      context,
    ),
  work: async () => (await import('./encrypt.ts')).encryptDevices,
};
