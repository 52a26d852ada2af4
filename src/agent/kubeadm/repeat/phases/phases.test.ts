import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parsePhases } from './discover.ts';
import { isEtcdPhase, isRepeatable, phasesBefore, phasesThroughEtcd, waitsForKubelet } from './resume.ts';

const DIRECTORY = new URL('fixtures/', import.meta.url);
const read = (verb: 'init' | 'join') =>
  readdirSync(DIRECTORY)
    .filter((name) => name.startsWith(verb))
    .map((name) => ({ name, phases: parsePhases(readFileSync(new URL(name, DIRECTORY), 'utf8')) }));

describe('the phases of every release', () => {
  it.each(read('join'))('$name', ({ phases }) => {
    const paths = phases.map(({ path }) => path);
    expect(paths.slice(0, 2)).toEqual(['preflight', 'control-plane-prepare']);
    expect(paths).toContain('control-plane-prepare/certs');
    expect(phases.find(({ path }) => path === 'control-plane-join')?.group).toBe(true);
    const skip = phasesBefore(phases, 'control-plane-join/mark-control-plane') ?? [];
    expect(skip).toEqual(expect.arrayContaining(['preflight', 'control-plane-prepare', 'kubelet-start']));
    // Its members are skipped one by one: skipping a group would take the phase itself along.
    expect(skip).not.toContain('control-plane-join');
    expect(skip).not.toContain('control-plane-prepare/certs');
    expect(skip.some(isEtcdPhase)).toBe(paths.some(isEtcdPhase));
    const through = phasesThroughEtcd(phases) ?? [];
    expect(through).toContain('kubelet-start');
    expect(through).not.toContain('control-plane-join/mark-control-plane');
    expect(through).not.toContain('kubelet-wait-bootstrap');
    expect(waitsForKubelet(phases, through)).toBe(paths.includes('kubelet-wait-bootstrap'));
    expect(waitsForKubelet(phases, [...through, 'kubelet-wait-bootstrap'])).toBe(false);
  });

  it('of the latest end with a wait for the kubelet, once etcd runs', () => {
    const latest = read('join').find(({ name }) => name === 'join-1.35-1.36.txt')?.phases ?? [];
    expect(waitsForKubelet(latest, phasesThroughEtcd(latest) ?? [])).toBe(true);
  });

  it.each(read('init'))('$name', ({ phases }) => {
    const skip = phasesBefore(phases, 'addon/kube-proxy') ?? [];
    const before = ['preflight', 'certs', 'kubeconfig', 'kubelet-start', 'control-plane', 'etcd'];
    expect(skip).toEqual(expect.arrayContaining([...before, 'bootstrap-token', 'addon/coredns']));
    expect(skip).not.toContain('addon');
    expect(phasesBefore(phases, 'preflight')).toEqual([]);
    expect(isRepeatable('init', 'kubelet-finalize/some-new-name')).toBe(true);
  });

  it('are told apart: there are six lists for a join', () => {
    const lists = read('join').map(({ phases }) => phases.map(({ path }) => path).join());
    expect(new Set(lists).size).toBeGreaterThanOrEqual(4);
  });
});

describe('a kubeadm of the future', () => {
  const help = `The "join" command executes the following phases:\n\`\`\`\npreflight  Look\nquantum-link\n  /entangle  Do it twice\nkubelet-start  Start\ncontrol-plane-join  Join\n  /mark-control-plane  Mark\n  some prose that nobody expected\n\`\`\`\nflags  and so on\n`;

  it('keeps its own phases in order', () => {
    const phases = parsePhases(help);
    expect(phases.map(({ path }) => path)).toEqual([
      'preflight',
      'quantum-link',
      'quantum-link/entangle',
      'kubelet-start',
      'control-plane-join',
      'control-plane-join/mark-control-plane',
    ]);
    expect(phasesBefore(phases, 'control-plane-join/mark-control-plane')).toEqual([
      'preflight',
      'quantum-link',
      'kubelet-start',
    ]);
  });

  it('begins anew after a phase that nobody knows', () => {
    expect(isRepeatable('join', 'quantum-link/entangle')).toBe(false);
    expect(isRepeatable('join', undefined)).toBe(false);
    expect(phasesBefore(parsePhases(help), 'never-heard-of')).toBeUndefined();
  });

  it('may say nothing at all', () => {
    for (const text of ['', 'unknown command "join"', 'command executes the following phases:\n'])
      expect(parsePhases(text)).toEqual([]);
    expect(phasesThroughEtcd([])).toBeUndefined();
  });
});
