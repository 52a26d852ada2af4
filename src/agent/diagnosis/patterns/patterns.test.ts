/** No pattern is there without a sentence of kubeadm's that it knows. */
import { expect, it } from 'vitest';
import { readFixtures } from '../../../../test/support/kubeadm/kubeadm-fixtures.ts';
import { readLogFixtures } from '../../../../test/support/logs/log-fixtures.ts';
import { configPatterns } from './config.ts';
import { controlPlaneLatePatterns, controlPlanePatterns } from './control-plane.ts';
import { certificatePatterns, credentialPatterns, localCertificatePatterns } from './credentials.ts';
import { clusterInfo, discoveryPatterns, discoveryTimedOut } from './discovery.ts';
import { etcdPatterns } from './etcd.ts';
import { imagePatterns } from './image.ts';
import { kubeletHealthPatterns, kubeletPatterns } from './kubelet.ts';
import { networkPatterns, webhookPatterns } from './network.ts';
import { accessPatterns, machinePatterns, nodePatterns, registrationPatterns } from './node.ts';
import { type KubeadmOutput, parseKubeadmOutput } from './output.ts';
import type { Pattern } from './pattern.ts';
import { preflightPattern } from './preflight.ts';
import { runtimePatterns } from './runtime.ts';
import { certificatePeriodPatterns, tlsPatterns } from './tls.ts';

const ROOMS: Record<string, Pattern[]> = {
  config: configPatterns,
  controlPlane: controlPlanePatterns,
  controlPlaneLate: controlPlaneLatePatterns,
  certificate: certificatePatterns,
  credential: credentialPatterns,
  localCertificate: localCertificatePatterns,
  discovery: [...discoveryPatterns, discoveryTimedOut, clusterInfo],
  etcd: etcdPatterns,
  image: imagePatterns,
  kubeletHealth: kubeletHealthPatterns,
  kubelet: kubeletPatterns,
  network: networkPatterns,
  webhook: webhookPatterns,
  machine: machinePatterns,
  access: accessPatterns,
  node: nodePatterns,
  registration: registrationPatterns,
  preflight: [preflightPattern],
  runtime: runtimePatterns,
  certificatePeriod: certificatePeriodPatterns,
  tls: tlsPatterns,
};

/** Outputs that are cut off, of which the lines of the checks or the bare phase are left: standard output, then the error. */
const CUT: [stdout: string, stderr: string][] = [
  ['', "couldn't initialize a Kubernetes cluster"],
  ['[control-plane-check] kube-scheduler is not healthy after 4m0.000514209s', ''],
  ['', 'error execution phase wait-control-plane'],
  [
    'W1113 19:59:39.065953    5495 certs.go:524] WARNING: could not validate bounds for certificate ca: the certificate has expired: NotBefore: 2022-10-17 14:33:07 +0000 UTC, NotAfter: 2023-10-20 18:30:17 +0000 UTC',
    "error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster",
  ],
];

const outputs = (): KubeadmOutput[] => [
  ...readFixtures().map(({ stdout, stderr }) => parseKubeadmOutput(stdout, stderr)),
  ...readLogFixtures('kubeadm').map(({ text }) => parseKubeadmOutput(text, text)),
  ...CUT.map(([stdout, stderr]) => parseKubeadmOutput(stdout, stderr)),
];

it('each pattern knows a sentence of the fixtures', () => {
  const all = outputs();
  const idle = Object.entries(ROOMS).flatMap(([room, patterns]) =>
    patterns.flatMap((pattern, index) =>
      all.some((output) => pattern({ output }) !== undefined) ? [] : [`${room} ${index}`],
    ),
  );
  expect(idle).toEqual([]);
});
