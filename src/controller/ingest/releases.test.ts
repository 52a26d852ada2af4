import { afterEach, expect, it } from 'vitest';
import { createCsr } from '../../pki/csr.ts';
import { Refused } from '../attest/refused.ts';
import type { KubeletKeys } from '../fresh-proofs/kubelet-keys.ts';
import type { SecretReleaser } from '../secret-release/secret-releaser.ts';
import { startIngest } from './fixtures/ingest-scene.ts';
import type { IngestServer } from './server.ts';

/** Of all requests of a machine: more than are asked here, so that it is those of proofs that are too many. */
const machineRate = { perSecond: 1_000, burst: 1_000 };

let server: IngestServer | undefined;

afterEach(() => server?.drain(0));

it('lets one machine ask for what was sealed so often that it may wait for it, and not without end', async () => {
  let asked = 0;
  const release = () => {
    asked += 1;
    throw new Refused('not-found', 'nothing is sealed');
  };
  const scene = await startIngest({ releases: { release } as unknown as SecretReleaser, machineRate });
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

it("counts what a machine asks for its kubelet's key as well, and for no other machine", async () => {
  const refuse = () => {
    throw new Refused('not-found', 'nothing is there');
  };
  const scene = await startIngest({
    releases: { release: refuse } as unknown as SecretReleaser,
    kubeletKeys: { bind: refuse } as unknown as KubeletKeys,
    machineRate,
  });
  server = scene.server;
  const [one, other] = [scene.machine(), scene.machine()];
  const asked = (machine: typeof one, path: string) =>
    machine.post(path, { version: 1, machine: machine.identity, csr: createCsr(machine.key, 'n') });
  let answer = await asked(one, '/v1/kubelet-key');
  for (let at = 0; answer.status === 404 && at < 500; at += 1) answer = await asked(one, '/v1/kubelet-key');
  expect(answer.status).toBe(429);
  expect((await asked(one, '/v1/release')).status).toBe(429);
  expect((await asked(other, '/v1/kubelet-key')).status).toBe(404);
  for (const machine of [one, other]) machine.hangUp();
});
