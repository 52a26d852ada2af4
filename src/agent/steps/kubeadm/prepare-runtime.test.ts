import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { StepContext } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { prepareRuntime } from './prepare-runtime.ts';

let folder: string;
beforeEach(() => {
  folder = scratch();
});

/** Before a join on a machine whose runtime never answers. @param paused called instead of each pause */
function prepared(paused: () => void, signal: AbortSignal) {
  const base = createLinuxHost();
  let now = 0;
  const clock: Host['clock'] = {
    ...base.clock,
    monotonic: () => now,
    sleep: async (ms) => {
      now += ms;
      paused();
    },
  };
  const told: string[] = [];
  const context: StepContext = {
    ...{ host: { ...base, clock }, signal, attempt: 1, interrupted: false },
    remainingMs: () => 600_000 - now,
    progress: async (message) => void told.push(message),
    finding: async () => undefined,
    output: () => undefined,
  };
  const criSocket = `unix://${folder}/sock`;
  return prepareRuntime({ verb: 'join', path: '/nowhere/kubeadm', args: [], config: { criSocket } }, context);
}

it('says that the container runtime did not answer where the deadline passes meanwhile', async () => {
  const deadline = new AbortController();
  expect(await prepared(() => deadline.abort(), deadline.signal)).toMatchObject({
    code: 'ContainerRuntimeDown',
    cause: `Nobody answered at ${folder}/sock until the deadline passed.`,
  });
});

it('leaves the word to kubeadm where there is time for it', async () => {
  expect(await prepared(() => undefined, new AbortController().signal)).toBeUndefined();
});
