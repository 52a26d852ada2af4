import { describe, expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { UnitEntry } from '../../document/document.ts';
import { withPresets } from './set-up.ts';
import { startOrder } from './start.ts';

const unit = (name: string, more: Partial<UnitEntry> & { text?: string } = {}): UnitEntry => {
  const { text, ...rest } = more;
  return { name, dropIns: [], enabled: true, ...(text ? { content: sensitive(text) } : {}), ...rest };
};

describe('startOrder', () => {
  it('starts first what kubeadm needs, and last what needs kubeadm', () => {
    const units = [
      unit('a.service'),
      unit('var-lib-etcd.mount'),
      unit('b.service', { text: '[Unit]\nAfter=x.service kubeadm.service\n' }),
      unit('c.service', { enabled: false }),
      unit('d.service', { masked: true }),
      unit('e@.service'),
      unit('f.service'),
    ];
    const needs = {
      requires: ['containerd.service'],
      wants: ['w.service'],
      after: ['f.service', 'g.service', 'network.target'],
    };
    expect(startOrder(units, needs)).toEqual({
      before: {
        required: ['containerd.service'],
        wanted: ['w.service', 'var-lib-etcd.mount', 'f.service'],
        others: ['a.service'],
        awaited: ['g.service'],
      },
      after: ['b.service'],
    });
  });
});

it('looks once at the empty lines of a unit', () => {
  const { after } = startOrder([unit('a.service', { text: `[Unit]${'\n'.repeat(3_000_000)}x\nAfter=x` })], {
    ...{ requires: [], wants: [], after: [] },
  });
  expect(after).toEqual([]);
});

describe('withPresets', () => {
  it('writes a line for a unit, one for the instances of a template, sorted, once', () => {
    const units = [
      unit('z.service'),
      unit('e@foo.service'),
      unit('a.service', { enabled: false }),
      unit('e@bar.service'),
    ];
    const text = withPresets('', units);
    expect(text).toBe('disable a.service\nenable e@.service foo bar\nenable z.service\n');
    expect(withPresets(text, units)).toBe(text);
  });
});
