import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { EventRecorder } from './event-recorder.ts';
import { readMachine } from './machine.ts';

interface Stored {
  reason: string;
  message: string;
  count: number;
}

/** As an API server keeps Events: by name, and not for ever. */
class Events {
  readonly stored = new Map<string, Stored>();
  requests = 0;

  client(): KubeClient {
    const request = async (method: string, path: string, options: { body: object }): Promise<void> => {
      this.requests += 1;
      const body = options.body as Stored & { metadata?: { name: string } };
      const name = body.metadata?.name ?? path.split('/').at(-1) ?? '';
      const found = this.stored.get(name);
      if (method === 'POST' && found) throw new KubeError(409, 'AlreadyExists', 'there');
      if (method === 'PATCH' && !found) throw new KubeError(404, 'NotFound', 'not there');
      this.stored.set(name, { ...found, ...body });
    };
    return { request } as unknown as KubeClient;
  }

  get texts(): string[] {
    return [...this.stored.values()].map(({ reason, message, count }) => `${reason} ${message} ${count}`);
  }
}

const MACHINE = readMachine({ metadata: { namespace: 'ns', name: 'm', uid: 'u' }, spec: {} }, 'v1beta2');

it('has one Event for each reason and counts what comes again', async () => {
  const events = new Events();
  const recorder = new EventRecorder(events.client(), 'a');
  const record = (who: EventRecorder, reason: string, message: string): Promise<void> =>
    who.record(MACHINE, { type: 'Warning', reason, message });
  for (let i = 1; i <= 100; i += 1) await record(recorder, 'Failed', `the ${i}th time`);
  await record(recorder, 'Killed', 'once');
  expect(events.texts).toEqual(['Failed the 100th time 100', 'Killed once 1']);
  // Another leader finds what the one before it made.
  const next = new EventRecorder(events.client(), 'b');
  await record(next, 'Killed', 'twice');
  expect(events.texts).toEqual(['Failed the 100th time 100', 'Killed twice 2']);
  // The API server has deleted it.
  events.stored.clear();
  await record(next, 'Killed', 'later');
  expect(events.texts).toEqual(['Killed later 1']);
});
