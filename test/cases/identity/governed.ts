import assert from 'node:assert/strict';
import { ATTESTED, type Condition, type MachineObject } from '../../../src/controller/machines/machine.ts';
import type { NodeIdentityPolicy } from '../../../src/controller/policy/identity-policy.ts';
import { controllerCommand } from '../../support/controller/controller-process.ts';
import { eventually } from '../../support/eventually.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { bootstrapOf, transportOf } from './transport.ts';

export const POLICIES = '/apis/slipway.dev/v1alpha1/namespaces/default/nodeidentitypolicies';

/** Makes a policy. @returns when the controller has it */
export async function policy(
  { cluster }: Scene,
  name: string,
  spec: NodeIdentityPolicy['spec'],
): Promise<void> {
  const kinds = { apiVersion: 'slipway.dev/v1alpha1', kind: 'NodeIdentityPolicy' };
  const metadata = { name, namespace: 'default' };
  await cluster.client.request('POST', POLICIES, { body: { ...kinds, metadata, spec } });
  await eventually('the controller has the policy', async () => {
    const { status } = await cluster.client.request<NodeIdentityPolicy>('GET', `${POLICIES}/${name}`);
    return status?.valid;
  });
}

/** `slipway-controller nodes ACTION NAMESPACE/NAME`. */
export async function nodes(action: string, name: string, { cluster }: Scene): Promise<void> {
  const access = `--kubeconfig=${cluster.api.kubeconfig()}`;
  const { code, stderr } = await controllerCommand(['nodes', action, name, access]);
  assert.equal(code, 0, stderr);
}

/** Waits for what the Machine says of its proof. */
export async function attestedIs(
  { cluster }: Scene,
  name: string,
  status: Condition['status'],
  reason: string,
): Promise<Condition> {
  return await eventually(`${name} is attested: ${status} ${reason}`, async () => {
    const { status: now }: MachineObject = await cluster.machine(name);
    const found = now?.conditions?.find(({ type }) => type === ATTESTED);
    return found?.status === status && found.reason === reason ? found : undefined;
  });
}

/** It tells of a bootstrap. @param isNew its disk is another one */
export async function reports(
  scene: Scene,
  { host }: MachineWithTpm,
  hostname: string,
  isNew = true,
): Promise<void> {
  if (isNew) await host.files.remove('/var/lib/slipway');
  const { events } = bootstrapOf(scene, hostname);
  // What was just created is known to the controller a moment later.
  await eventually(`${hostname} reports`, async () => {
    const transport = transportOf(scene, host, hostname);
    try {
      return (await transport.deliver(events, new AbortController().signal)) === events.at(-1)?.seq;
    } catch {
      return false;
    } finally {
      await transport.close();
    }
  });
}

/** It is not let in, and told why. */
export async function refused(
  scene: Scene,
  { host }: MachineWithTpm,
  hostname: string,
  why: RegExp,
): Promise<void> {
  await host.files.remove('/var/lib/slipway');
  const { events } = bootstrapOf(scene, hostname);
  let said = '';
  await eventually(`${hostname} is refused: ${why}`, async () => {
    const transport = transportOf(scene, host, hostname);
    try {
      await transport.deliver(events, new AbortController().signal);
      assert.fail(`${hostname} was let in`);
    } catch (error) {
      said = (error as Error).message;
      assert.doesNotMatch(said, /was let in/);
      return why.test(said);
    } finally {
      await transport.close();
    }
  }).catch((error: Error) => assert.fail(`${error.message}; it says: ${said}`));
}
