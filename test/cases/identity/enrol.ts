import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../../src/agent/host/host.ts';
import type { HttpRequest } from '../../../src/agent/host/network.ts';
import type { ListOf } from '../../../src/controller/kube/objects.ts';
import { collectionPath, type NodeBootstrap } from '../../../src/controller/store/node-bootstrap.ts';
import { CHALLENGE_PATH } from '../../../src/protocol/attestation.ts';
import { ENROL_PATH } from '../../../src/protocol/exchange.ts';
import {
  type MachineWithTpm,
  machineWithTpm,
  type RestartableMachine,
} from '../../support/tpm/software-tpm.ts';
import { openScene, type Scene } from '../hostile/scene.ts';
import { bootLogs } from './boot-logs.ts';
import { firstUses } from './first-use/first-use.ts';
import { infrastructure } from './infrastructure.ts';
import { makers } from './makers.ts';
import { policies } from './policies.ts';
import { putBack } from './put-back.ts';
import { sealedData } from './sealed-data.ts';
import { sealedShim } from './sealed-shim.ts';
import { bootstrapOf, transportOf } from './transport.ts';

/** Machines enrol by their TPMs at a real controller with a real API server; what is not theirs they do not get. */
export async function enrolment(lower: readonly string[], say: (line: string) => void): Promise<void> {
  const machines = await Promise.all([machineWithTpm(lower, true), machineWithTpm(lower)]);
  try {
    await sealedShim(machines, say);
    for (const part of [attacks, infrastructure, firstUses, policies, provenance, sealedData]) {
      const scene = await openScene(say);
      try {
        await part(scene, machines);
      } catch (error) {
        say(`the controller's last words:\n${scene.lastWords()}`);
        throw error;
      } finally {
        await scene.close();
      }
      for (const { host } of machines) await host.files.remove('/var/lib/slipway');
    }
  } finally {
    await Promise.all(machines.map((machine) => machine.end()));
  }
}

/** Where a TPM and a boot come from. */
async function provenance(scene: Scene, [one, two]: [RestartableMachine, RestartableMachine]): Promise<void> {
  await makers(scene, [one, two]);
  await bootLogs(scene, two);
  await putBack(scene, one);
}

async function attacks(scene: Scene, [one, two]: [MachineWithTpm, MachineWithTpm]): Promise<void> {
  const { cluster, controller, say } = scene;
  await refused(scene, one, 'm1');
  await cluster.createMachine('m1', { endorsementKey: one.endorsementKey, providerID: 'demo:///m1' });
  await cluster.createMachine('m2', { endorsementKey: two.endorsementKey });
  const pool = await scene.poolToken();
  await cluster.knownTo(controller);
  for (const claim of [{ hostname: 'm1' }, { hostname: 'x', providerID: 'demo:///m1' }])
    await assert.rejects(scene.machine(claim).enrol(pool), /401/);
  assert.deepEqual(await holders(scene), []);
  say('a Machine that names a TPM takes no token, and a TPM that no Machine names is nobody');

  await reports(scene, one, 'm1');
  await cluster.conditionIs('m1', 'True');
  // What a machine calls itself does not matter.
  await reports(scene, two, 'm1');
  await cluster.conditionIs('m2', 'True');
  assert.deepEqual(await holders(scene), [`m1 tpm ${one.endorsementKey}`, `m2 tpm ${two.endorsementKey}`]);
  say('two machines with nothing secret in their settings are the Machines that name their TPMs');

  await replayed(scene, one);
  say('an answer counts once, on its own connection, and for its own key');
  await borrowed(scene, one, two);
  say("a machine that has another's TPM answer for it gets nothing");

  await reports(scene, one, 'm1', true);
  assert.equal((await holders(scene)).length, 2);
  say('a machine that was installed anew proves itself again with another key');

  await cluster.createMachine('m3', { endorsementKey: one.endorsementKey });
  await cluster.knownTo(controller);
  await refused(scene, one, 'm1');
  say('a TPM that two Machines name is nobody');
}

/** The agent's own transport enrols by the TPM and tells of a bootstrap. @param anew its disk is another one */
async function reports(
  scene: Scene,
  { host }: MachineWithTpm,
  hostname: string,
  anew = false,
): Promise<void> {
  if (anew) await host.files.remove('/var/lib/slipway');
  const transport = transportOf(scene, host, hostname);
  const { events } = bootstrapOf(scene, hostname);
  try {
    assert.equal(await transport.deliver(events, new AbortController().signal), events.at(-1)?.seq);
  } finally {
    await transport.close();
  }
}

async function refused(scene: Scene, { host }: MachineWithTpm, hostname: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-nobody-'));
  try {
    const fresh = {
      ...host,
      files: (await import('../../../src/agent/host/linux/host.ts')).createLinuxHost({ root: folder }).files,
    };
    const transport = transportOf(scene, fresh, hostname);
    const { events } = bootstrapOf(scene, hostname);
    await assert.rejects(transport.deliver(events, new AbortController().signal), /endorsement-key/);
    await transport.close();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Somebody has the whole of an answer, and sends it again. */
async function replayed(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const sent: HttpRequest[] = [];
  const statuses: number[] = [];
  const listening = overheard(machine.host, sent, statuses);
  await reports(scene, { ...machine, host: listening }, 'm1', true);
  const enrolments = sent.filter(({ url }) => url.endsWith(ENROL_PATH));
  assert.equal(enrolments.length, 1);
  const again = machine.host.network.client({ ca: scene.ca, minTls: 'TLSv1.3' });
  for (const request of [...enrolments, ...enrolments]) assert.equal((await again.send(request)).status, 401);
  again.close();
}

/** B asks for a challenge for A's keys and has A's TPM answer it; A is told of B's connection only what B says. */
async function borrowed(scene: Scene, one: MachineWithTpm, two: MachineWithTpm): Promise<void> {
  const sent: HttpRequest[] = [];
  // B's agent with A's TPM: it becomes A, and not B's Machine.
  const thief = { ...overheard(two.host, sent, []), tpm: one.host.tpm };
  const transport = transportOf(scene, thief, 'm2');
  await two.host.files.remove('/var/lib/slipway');
  const { events } = bootstrapOf(scene, 'm2');
  await transport.deliver(events.slice(0, 1), new AbortController().signal);
  await transport.close();
  await two.host.files.remove('/var/lib/slipway');
  assert.deepEqual(await holders(scene), [`m1 tpm ${one.endorsementKey}`, `m2 tpm ${two.endorsementKey}`]);
  // A challenge on one connection, its answer on another.
  const relayed = {
    ...two.host,
    tpm: one.host.tpm,
    network: {
      ...two.host.network,
      client: (options: Parameters<Host['network']['client']>[0]) => ({
        send: async (request: HttpRequest) => {
          const fresh = two.host.network.client(options);
          try {
            return await fresh.send(request);
          } finally {
            fresh.close();
          }
        },
        close: () => undefined,
      }),
    },
  };
  const other = transportOf(scene, relayed, 'm2');
  await assert.rejects(other.deliver(events, new AbortController().signal), /does not accept/);
  await other.close();
  assert.ok(sent.some(({ url }) => url.endsWith(CHALLENGE_PATH)));
}

function overheard(host: Host, sent: HttpRequest[], statuses: number[]): Host {
  return {
    ...host,
    network: {
      ...host.network,
      client: (options) => {
        const inner = host.network.client(options);
        return {
          close: () => inner.close(),
          send: async (request) => {
            sent.push(request);
            const answer = await inner.send(request);
            statuses.push(answer.status);
            return answer;
          },
        };
      },
    },
  };
}

/** Who the nodes are, and by what. */
async function holders({ cluster }: Scene): Promise<string[]> {
  const { items } = await cluster.client.request<ListOf<NodeBootstrap>>('GET', collectionPath('default'));
  return items
    .map(({ metadata, spec }) => `${metadata.name} ${spec.machine?.by} ${spec.enrolment.endorsementKey}`)
    .sort();
}
