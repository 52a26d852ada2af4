import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../../../src/agent/host/host.ts';
import { openSealedUserData } from '../../../src/agent/sealed/open-user-data.ts';
import { type Loaded, loadDocument } from '../../../src/agent/userdata/load.ts';
import type { SealedStub } from '../../../src/protocol/sealed-stub.ts';
import { controllerCommand } from '../../support/controller/controller-process.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';

/** Seals as an operator does. @returns the stub */
export async function seal(
  scene: Scene,
  machine: string,
  content: string,
  ...more: string[]
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-seal-'));
  try {
    const file = join(folder, 'user-data');
    await writeFile(file, content);
    const endpoint = `--endpoint=https://localhost:${scene.controller.port}`;
    return `${await scene.command('seal', file, `--machine=${machine}`, '--namespace=default', endpoint, ...more)}\n`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** As a machine does, which asks again where it is told that it asks too often. */
async function load(host: Host, stub: string): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-stub-'));
  try {
    const userDataFile = join(folder, 'user-data');
    await writeFile(userDataFile, stub);
    for (;;) {
      const loaded = await loadDocument(host, {
        userDataFile,
        open: (of, claimed) => openSealedUserData(host, of as SealedStub, claimed),
      });
      if (loaded.kind === 'document' || !/status 429/.test(loaded.failure.cause)) return loaded;
      await sleep(500);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What comes out of a stub. @throws AssertionError */
export async function opens(scene: Scene, { host }: MachineWithTpm, stub: string) {
  const loaded = await load(host, stub);
  if (loaded.kind === 'document') return loaded;
  return assert.fail(`${loaded.failure.code}: ${loaded.failure.cause}\n${scene.lastWords()}`);
}

/** Why it does not open; undefined if it does. */
export async function code({ host }: MachineWithTpm, stub: string): Promise<string | undefined> {
  const loaded = await load(host, stub);
  if (loaded.kind === 'none') return loaded.failure.code;
  return loaded.document.report.find(({ severity }) => severity === 'error')?.code;
}

export async function nodes({ cluster }: Scene, action: string, name: string): Promise<void> {
  const access = `--kubeconfig=${cluster.api.kubeconfig()}`;
  const { code, stderr } = await controllerCommand(['nodes', action, `default/${name}`, access]);
  assert.equal(code, 0, stderr);
}
