import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../../../src/agent/host/host.ts';
import type { HttpClient } from '../../../src/agent/host/network.ts';
import { enrol } from '../../../src/agent/identity/enrol.ts';
import type { SendRequest } from '../../../src/agent/identity/send-request.ts';
import { type MachineWithTpm, machineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { BenchScene } from '../fleet/scene.ts';

const TIMEOUT_MS = 60_000;

/**
 * Has real software TPMs prove their machines by the agent's own code, one proof after the other, each for a new key on a
 * connection of its own.
 *
 * @param lower the root with swtpm
 * @returns milliseconds of each, from opening the TPM to having a certificate
 */
export async function timeProofs(
  { cluster, controller, ca }: BenchScene,
  lower: readonly string[],
  proofs: number,
): Promise<number[]> {
  const machine: MachineWithTpm = await machineWithTpm(lower);
  const { host, endorsementKey } = machine;
  try {
    await cluster.createMachine('with-swtpm', { endorsementKey });
    await untilKnown(() => prove(host, controller.port, ca));
    const times: number[] = [];
    for (let at = 0; at < proofs; at += 1) {
      const began = performance.now();
      await prove(host, controller.port, ca);
      times.push(performance.now() - began);
    }
    return times;
  } finally {
    await machine.end();
  }
}

/** The controller hears of a Machine by its watch. */
async function untilKnown(work: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + 30_000; ; await sleep(100)) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

async function prove(host: Host, port: number, ca: string): Promise<void> {
  const client: HttpClient = host.network.client({ ca, minTls: 'TLSv1.3' });
  const send: SendRequest = (path, body, exporter) =>
    client.send({
      ...{ method: 'POST', url: `https://127.0.0.1:${port}${path}`, body, timeoutMs: TIMEOUT_MS },
      ...{ headers: { 'content-type': 'application/json' }, ...(exporter ? { exporter } : {}) },
    });
  try {
    const machine = { instance: 'i-with-swtpm', hostname: 'with-swtpm' };
    await enrol(host, machine, { tpm: '/dev/tpmrm0' }, send, { mustStore: false });
  } finally {
    client.close();
  }
}
