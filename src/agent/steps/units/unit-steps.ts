import { pluralize } from '../../../kit/pluralize.ts';
import type { Document, UnitEntry, UnitNeeds } from '../../document/document.ts';
import type { StepKind } from '../kind/step-kind.ts';
import { type StartSpec, startOrder } from './start.ts';

export const unitFiles: StepKind<{ entries: UnitEntry[] }> = {
  name: 'units',
  plan: ({ units: entries = [] }: Document) =>
    entries.length === 0
      ? []
      : [{ id: 'units', title: `set up ${pluralize(entries.length, 'unit')}`, spec: { entries } }],
  details: ({ entries }) =>
    entries.map(({ name, content, dropIns, enabled, masked }) =>
      [
        name,
        ...(content ? ['written'] : []),
        ...dropIns.map((dropIn) => `with ${dropIn.name}`),
        ...(enabled === undefined ? [] : [enabled ? 'enabled' : 'disabled']),
        ...(masked === undefined ? [] : [masked ? 'masked' : 'not masked']),
      ].join(' '),
    ),
  work: async () => (await import('./set-up.ts')).setUpUnits,
};

export const unitStarts: StepKind<StartSpec> = {
  name: 'unit-starts',
  plan: ({ units = [], kubeadmUnit }: Document) => {
    const spec = startOrder(units, kubeadmUnit ?? NO_NEEDS).before;
    const names = [...spec.required, ...spec.wanted, ...spec.others];
    return names.length + spec.awaited.length === 0
      ? []
      : [{ id: 'units/start', title: `start ${pluralize(names.length, 'unit')}`, spec }];
  },
  details: ({ required, wanted, others, awaited }) => [
    ...required.map((name) => `${name}, which kubeadm requires`),
    ...[...wanted, ...others],
    ...awaited.map((name) => `wait for ${name}, if it is starting`),
  ],
  work: async () => (await import('./start.ts')).startUnits,
};

/** What is ordered behind kubeadm. */
export const laterUnitStarts: StepKind<StartSpec> = {
  ...unitStarts,
  plan: ({ units = [], kubeadmUnit }: Document) => {
    const others = startOrder(units, kubeadmUnit ?? NO_NEEDS).after;
    const spec = { required: [], wanted: [], others, awaited: [] };
    return others.length === 0
      ? []
      : [{ id: 'units/start-later', title: `start ${pluralize(others.length, 'unit')}`, spec }];
  },
};

const NO_NEEDS: UnitNeeds = { requires: [], wants: [], after: [] };
