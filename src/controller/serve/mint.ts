import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyStorage } from '../keys/key-storage.ts';
import { followKeys } from '../keys/key-watch.ts';
import { tokenKeySecret } from '../keys/secret-storage.ts';
import { TokenKeys, type TokenMaterial } from '../keys/token-keys.ts';
import { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { findAccess } from '../kube/kubeconfig.ts';
import { type Log, reason } from '../log.ts';
import { MachineDirectory } from '../machines/directory.ts';
import { findMachineVersion, type MachineObject, machinesPath, readMachine } from '../machines/machine.ts';
import { Minter } from '../machines/minter.ts';
import { InfrastructureWatch } from '../proofs/infrastructure-watch.ts';
import { RenewalList } from '../renewal/renewal-list.ts';
import { RenewalWriter } from '../renewal/renewal-writer.ts';
import { MachineIdentities } from '../store/machine-identities.ts';
import { collectionPath, type NodeBootstrap } from '../store/node-bootstrap.ts';
import type { MintSettings } from './settings.ts';

const LOOK_MS = 2_000;

/**
 * Makes Machines' tokens, and puts renewed ones of pools into their Secrets, with rights of its own: it may create Secrets, which whoever talks to machines must
 * not. It listens to nobody, and needs no other replica to agree with.
 *
 * @returns ends it
 */
export async function mint(settings: MintSettings, log: Log): Promise<() => Promise<void>> {
  const access = findAccess(settings.kubeconfig === undefined ? {} : { path: settings.kubeconfig });
  const client = new KubeClient(access);
  const version = await findMachineVersion(client);
  const namespace = settings.namespace ?? access.namespace;
  const place = tokenKeySecret(client, namespace);
  const keys = await firstKeys(place, log);
  const directory = new MachineDirectory();
  const byKey = (key: string) => directory.byName(...(key.split('/') as [string, string]));
  const minter = new Minter({
    ...{ client, byKey, log, lifetimeMs: settings.tokenMs },
    key: () => keys.signing,
    identities: new MachineIdentities(client),
    namesTpm: (machine) => (directory.isUnread(machine) ? undefined : directory.keyOf(machine) !== undefined),
  });
  const infrastructure = new InfrastructureWatch({
    ...{ client, directory, log },
    // The controller tells of that.
    alarms: { disagrees: () => undefined },
    known: (machine) => minter.machineChanged(machine),
  });
  const trouble = (error: Error, retryInMs: number): void =>
    log.warn('a watch ended and begins again', { reason: reason(error), retryInMs });
  const machines = new Informer<MachineObject>(client, machinesPath(version), {
    changed: (object) => {
      const machine = readMachine(object, version);
      directory.put(machine);
      // What the infrastructure says proves only a Machine that wants a token.
      if (machine.wantsToken) infrastructure.machineChanged(machine);
      minter.machineChanged(machine);
    },
    gone: (key) => {
      const machine = byKey(key);
      directory.remove(key);
      if (!machine) return;
      infrastructure.machineGone(machine.uid);
      minter.machineGone(machine);
    },
    trouble,
  });
  const nodes = new Informer<NodeBootstrap>(
    client,
    collectionPath(),
    {
      changed: () => undefined,
      gone: (key) => {
        const machine = byKey(key);
        if (machine) minter.nodeGone(machine);
      },
      trouble,
    },
    { pageSize: 100 },
  );
  machines.start();
  nodes.start();
  const writer = new RenewalWriter({
    ...{ client, log, keys: () => keys.all },
    list: new RenewalList(client, namespace),
  });
  const leaveKeys = followKeys(keys, place, log);
  return async () => {
    leaveKeys();
    await Promise.all([machines.stop(), nodes.stop()]);
    await Promise.all([minter.stop(), infrastructure.stop(), writer.stop()]);
    client.close();
  };
}

/** The keys; the controller makes them when it starts first. @throws KubeError */
async function firstKeys(place: KeyStorage<TokenMaterial>, log: Log): Promise<TokenKeys> {
  for (let told = false; ; told = true) {
    const found = await place.read();
    if (found) return new TokenKeys(found);
    if (!told) log.info('waits for the key that the controller makes');
    await sleep(LOOK_MS);
  }
}
