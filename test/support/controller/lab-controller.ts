import assert from 'node:assert/strict';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
import { BINARY } from '../../../src/agent/document/paths.ts';
import type { ControlPlane, Lab, Machine, Role } from '../../lab/lab.ts';
import { metaData } from '../cluster-api/user-data.ts';
import { DIST, SEED } from '../machines.ts';
import { softwareTpm } from '../tpm/machine-unit.ts';
import { ControllerProcess } from './controller-process.ts';
import { waitUntilEstablished } from './established.ts';
import { clusterApiCrds } from './management-cluster.ts';

/** Where machines reach what runs on the lab's switch. */
const SWITCH = '10.99.0.1';
const PORT = 8443;
export const ENDPOINT = `https://${SWITCH}:${PORT}`;

/** The lab's control plane becomes the management cluster too, with a controller. */
export async function startLabController(control: ControlPlane): Promise<ControllerProcess> {
  const crds = ['machineidentities', 'nodebootstraps', 'nodeidentitypolicies'];
  const own = crds.map((name) => join(root, `manifests/crd/slipway.dev_${name}.yaml`));
  for (const path of clusterApiCrds())
    await control.kubectl(['apply', '--server-side', '--validate=false', `--filename=${path}`]);
  for (const path of [...own, join(root, 'manifests/namespace.yaml')])
    await control.kubectl(['apply', `--filename=${path}`]);
  await waitUntilEstablished((words) => control.kubectl(words));
  const words = [`--kubeconfig=${control.adminKubeconfig}`, '--namespace=slipway-system', `--name=${SWITCH}`];
  return await ControllerProcess.start([...words, `--listen=${SWITCH}:${PORT}`], control.onSwitch([]));
}

interface WithTpm {
  role: Role;
  ip?: string;
  /** Cloud-init is in the image. */
  cloudInit?: boolean;
  /** More that the image has. */
  files?: Readonly<Record<string, { content: string; mode: number } | { symlink: string }>>;
  /** The layer with swtpm. */
  tools: string;
}

/** A machine with a TPM, and the Machine on which somebody has named that. */
export async function machineWithTpm(
  lab: Lab,
  control: ControlPlane,
  name: string,
  { tools, files = {}, ...options }: WithTpm,
): Promise<Machine> {
  const machine = await lab.up(name, {
    ...options,
    over: [tools],
    files: {
      [BINARY]: { from: DIST, mode: 0o755 },
      [`${SEED}/meta-data`]: { content: metaData(name), mode: 0o600 },
      ...files,
    },
    units: softwareTpm().units,
  });
  const { endorsementKey } = JSON.parse(await machine.execOk(['slipway', 'identity', '--output', 'json']));
  assert.match(endorsementKey, /^sha256:/);
  const object = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: {
      ...{ name, namespace: 'default' },
      annotations: { 'slipway.dev/endorsement-key': endorsementKey },
    },
    spec: {
      clusterName: 'lab',
      bootstrap: { dataSecretName: 'x' },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name },
    },
  };
  await control.kubectl(['apply', '--filename=-'], { input: JSON.stringify(object) });
  return machine;
}
