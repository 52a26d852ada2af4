import { describe, expect, test } from 'vitest';
import { plan } from '../../steps/plan.ts';
import { readDocument } from '../fixtures/read-document.ts';

const read = (text: string) =>
  readDocument(Buffer.from(`#cloud-config\n${text}`), { metaData: {}, source: 'nocloud' });
const told = (text: string) => read(text).report.map(({ severity, message }) => `${severity} ${message}`);

describe('the key slipway', () => {
  test('asks for mending, which the plan hands on', () => {
    const document = read('slipway: {preflight: {mend: true}}\nruncmd: [kubeadm join --config /a]\n');
    expect(document.report).toEqual([]);
    expect(document.preflight).toEqual({ mend: true });
    const steps = plan(document);
    expect(steps.map(({ id }) => id)).toEqual(['preflight', 'kubeadm', 'sentinel', 'ready']);
    expect(steps[0]?.spec).toMatchObject({ mend: true });
    expect(plan(read('runcmd: [kubeadm join --config /a]\n'))[0]?.spec).toMatchObject({ mend: false });
  });

  test('names further API servers for a join', () => {
    const endpoints = 'slipway: {endpoints: ["10.0.0.1:6443", "[fd00::1]:6443"]}';
    const document = read(`${endpoints}\nruncmd: [kubeadm join --config /a, kubeadm init --config /b]\n`);
    expect(document.report).toEqual([]);
    expect(document.commands).toMatchObject([
      { endpoints: ['10.0.0.1:6443', '[fd00::1]:6443'] },
      { verb: 'init' },
    ]);
    expect(document.commands[1]).not.toHaveProperty('endpoints');
    expect(told('slipway: {endpoints: [https://api:6443]}\n')).toEqual([
      expect.stringMatching(/^error slipway: https:..api:6443 in endpoints is not HOST:PORT/),
    ]);
  });

  test('says how long a bootstrap may take', () => {
    expect(read('slipway: {deadline: 1h30m}\n').deadlineSeconds).toBe(5400);
    expect(read('slipway: {deadline: 600}\n').deadlineSeconds).toBe(600);
    expect(told('slipway: {deadline: 0s}\n')).toEqual([
      expect.stringMatching(/^error slipway: deadline must be a duration/),
    ]);
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
    ['slipway: {preflihgt: {}}\n', /^error slipway: preflihgt is not known/],
    ['slipway: {preflight: {mned: true}}\n', /^error slipway.preflight: mned is not known/],
  ])('%s', (text, wanted) => {
    expect(told(text)).toEqual([expect.stringMatching(wanted)]);
  });
});
