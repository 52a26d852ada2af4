import { describe, expect, test } from 'vitest';
import { plan } from '../../plan/plan.ts';
import { readDocument } from '../read-document.ts';

const read = (text: string) =>
  readDocument(Buffer.from(`#cloud-config\n${text}`), { metaData: {}, source: 'nocloud' });
const told = (text: string) => read(text).report.map(({ severity, message }) => `${severity} ${message}`);

describe('the key slipway', () => {
  test('asks for mending, which the plan hands on', () => {
    const document = read('slipway: {preflight: {mend: true}}\nruncmd: [kubeadm join --config /a]\n');
    expect(document.report).toEqual([]);
    expect(document.preflight).toEqual({ mend: true });
    const steps = plan(document);
    expect(steps.map(({ id }) => id)).toEqual(['preflight', 'kubeadm', 'ready']);
    expect(steps[0]?.spec).toMatchObject({ mend: true });
    expect(plan(read('runcmd: [kubeadm join --config /a]\n'))[0]?.spec).toMatchObject({ mend: false });
  });

  test('changes nothing where it is empty', () => {
    for (const text of ['slipway:\n', 'slipway: {}\n', 'slipway: {preflight: ~}\n']) {
      expect(told(text)).toEqual([]);
      expect(read(text).preflight).toBeUndefined();
    }
  });

  test.each([
    ['slipway: yes\n', /^error slipway must be a mapping/],
    ['slipway: {preflight: []}\n', /^error slipway.preflight must be a mapping/],
    ['slipway: {preflight: {mend: maybe}}\n', /^error slipway.preflight: mend must be true or false/],
    ['slipway: {preflihgt: {}}\n', /^warning slipway: .*preflihgt.* is not known/],
    ['slipway: {preflight: {mned: true}}\n', /^warning slipway.preflight: .*mned/],
  ])('%s', (text, wanted) => {
    expect(told(text)).toEqual([expect.stringMatching(wanted)]);
  });
});
