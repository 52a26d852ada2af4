import { createPublicKey } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { SimulatedMachine } from '../../../test/support/controller/simulated-machine.ts';
import { Authority, keyDigest } from '../../pki/authority.ts';
import type { Enrolment } from '../attest/enrolment.ts';
import { peerUri } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import type { Releases } from '../release/releases.ts';
import { Metrics } from '../web/metrics.ts';
import type { EventIntake } from './intake.ts';
import { IngestServer } from './server.ts';

const HOUR_MS = 3_600_000;
const made = Authority.create('test');
const authority = new Authority(made.certificate, made.privateKey);
let server: IngestServer | undefined;

afterEach(() => server?.drain(0));

/** A machine with a certificate of its own, and how often what was sealed was looked for. */
async function scene(): Promise<{ machine: SimulatedMachine; asked: () => number }> {
  let asked = 0;
  const release = () => {
    asked += 1;
    throw new Refused('not-found', 'nothing is sealed');
  };
  const { cert, key } = authority.server(['127.0.0.1'], HOUR_MS);
  const quiet = () => undefined;
  server = new IngestServer(
    {
      intake: {} as EventIntake,
      enrolment: {} as Enrolment,
      releases: { release } as unknown as Releases,
      metrics: new Metrics(),
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    },
    {
      tls: { cert, key, ca: authority.certificate },
      connections: { perAddress: 100, total: 100, newPerSecond: 100 },
      machineRate: { perSecond: 1000, burst: 1000 },
      strangerRate: { perSecond: 10, burst: 10 },
    },
  );
  const port = await server.listen(0, '127.0.0.1');
  const machine = new SimulatedMachine({ port, ca: authority.certificate });
  const publicKey = createPublicKey(machine.key);
  const uri = peerUri({ namespace: 'ns', name: 'n', binding: keyDigest(publicKey) });
  const request = { use: 'client', name: 'n', uri, publicKey } as const;
  machine.show(authority.sign(request, HOUR_MS).certificate);
  return { machine, asked: () => asked };
}

it('lets one machine ask for what was sealed so often that it may wait for it, and not without end', async () => {
  const { machine, asked } = await scene();
  const ask = () => machine.post('/v1/release', { version: 1, machine: machine.identity });
  const statuses: number[] = [];
  let answer = await ask();
  for (; answer.status === 404 && statuses.length < 500; answer = await ask()) statuses.push(answer.status);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(statuses.length).toBeGreaterThanOrEqual(20);
  expect(asked()).toBe(statuses.length);
  machine.hangUp();
});
