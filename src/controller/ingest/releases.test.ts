import { afterEach, expect, it } from 'vitest';
import { Refused } from '../attest/refused.ts';
import type { Releases } from '../release/releases.ts';
import { startIngest } from './fixtures/ingest-scene.ts';
import type { IngestServer } from './server.ts';

let server: IngestServer | undefined;

afterEach(() => server?.drain(0));

it('lets one machine ask for what was sealed so often that it may wait for it, and not without end', async () => {
  let asked = 0;
  const release = () => {
    asked += 1;
    throw new Refused('not-found', 'nothing is sealed');
  };
  const scene = await startIngest({ releases: { release } as unknown as Releases });
  server = scene.server;
  const machine = scene.machine();
  const ask = () => machine.post('/v1/release', { version: 1, machine: machine.identity });
  const statuses: number[] = [];
  let answer = await ask();
  for (; answer.status === 404 && statuses.length < 500; answer = await ask()) statuses.push(answer.status);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(statuses.length).toBeGreaterThanOrEqual(20);
  expect(asked).toBe(statuses.length);
  machine.hangUp();
});
