/** An event of each type, with every field that it may have. */
import type { SlipwayEvent } from '../../src/protocol/events.ts';

export const MACHINE = { instance: 'i-1', hostname: 'node-1' };
const step = { id: 'kubeadm join', title: 'kubeadm join' };
const failure = {
  code: 'ApiServerUnreachable',
  cause: 'No answer.',
  remedy: 'Look.',
  exitStatus: 1,
  lines: ['a', ''],
};
const sequence = 's-1';

export const BODIES = [
  {
    type: 'sequence.started',
    sequence,
    mode: 'shim',
    agent: '0.1.0',
    steps: [step],
    stepsOmitted: 2,
    deadlineSeconds: 900,
    resumed: false,
  },
  { type: 'step.started', sequence, step, attempt: 1 },
  { type: 'step.progress', sequence, step, message: 'preflight' },
  { type: 'step.attempt', sequence, step, attempt: 1, ms: 5, failure, retryInMs: 100 },
  { type: 'step.ended', sequence, step, attempt: 2, result: 'failed', ms: 5, message: '', failure },
  { type: 'finding', severity: 'warning', code: 'UserDataIgnoredKey', message: 'm', where: '1:2' },
  { type: 'fact', name: 'kernel', value: '6.1' },
  { type: 'heartbeat', sequence, step },
  { type: 'sentinel.seen', path: '/run/cluster-api/bootstrap-success.complete' },
  { type: 'node.observed', node: 'node-1', state: 'not-ready', message: 'cni' },
  { type: 'agent.lost', sequence, how: 'killed', pid: 5, step, failure },
  { type: 'node.reset' },
  { type: 'events.lost', count: 3, why: 'disk full' },
  { type: 'sequence.ended', sequence, mode: 'shim', result: 'failed', exitStatus: 1, ms: 5, step, failure },
] as const;

export function eventOf(body: object, seq = 1): SlipwayEvent {
  return {
    v: 1,
    machine: MACHINE,
    boot: 'b-1',
    seq,
    time: '2026-01-02T03:04:05.678Z',
    mono: 12,
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    ...body,
  } as SlipwayEvent;
}
