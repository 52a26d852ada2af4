/** What is advised for each cause of a code that has several: it helps in that case, and destroys nothing that may be needed. */
import { describe, expect, it } from 'vitest';
import { readLogFixtures } from '../../../test/support/logs/log-fixtures.ts';
import { type Code, codes } from '../../protocol/codes/codes.ts';
import { readComponentLog } from './causes/component-log.ts';
import { explainKubeletEnd, explainKubeletRun } from './causes/explain-kubelet.ts';
import { explainNode } from './causes/explain-node.ts';
import { readRuntimeLog } from './causes/runtime-log.ts';
import { diagnoseLog } from './diagnose-log.ts';
import { NO_EVIDENCE } from './evidence/evidence.ts';
import { parseJournal } from './evidence/parse.ts';
import { bareFailure } from './lone-node.ts';
import type { Diagnosis } from './patterns/pattern.ts';
import { readLines } from './transcript/read-lines.ts';

type Found = Pick<Diagnosis, 'code' | 'cause' | 'remedy'> | undefined;

const messages = (text: string): string[] => parseJournal(text).map((line) => line.text);

const ofKubeadm = (text: string, verb = 'join'): Found =>
  diagnoseLog(readLines('log', `+ kubeadm ${verb}\n${text.trimEnd()}\n`)).failure;

const READ: Record<string, (text: string, more: string[]) => Found> = {
  kubeadm: (text, [verb]) => ofKubeadm(text, verb),
  components: (text, [name = '']) => readComponentLog(name, text.trim().split('\n')),
  kubelet: (text) => explainKubeletEnd({ ...NO_EVIDENCE, kubeletLog: messages(text) }),
  'kubelet-running': (text, more) =>
    explainKubeletRun(more[2] as Code, { ...NO_EVIDENCE, kubeletLog: messages(text) }),
  runtime: (text) => readRuntimeLog(messages(text)),
};

const remedyOf = (found: Found): string | undefined => found && (found.remedy ?? codes()[found.code].fix);

/** By the file of fixtures, the code and words of the cause. */
const ADVICE: [file: string, code: Code, cause: string, remedy: RegExp, never: RegExp][] = [
  [
    'kubeadm',
    'LeftoversFound',
    '/var/lib/etcd is not empty',
    /lost\+found.* only if no cluster needs/,
    /^Build/,
  ],
  ['kubeadm', 'LeftoversFound', 'kubelet.conf already exists', /is a node now, leave it/, /^Remove/],
  ['kubeadm', 'LeftoversFound', 'wrong CA cert', /move the file away/, /reset/],
  ['kubeadm', 'LeftoversFound', 'wrong API Server URL', /move the file away/, /reset/],
  ['kubeadm', 'NodeNameInUse', 'worker-1', /whose Node it is/, /^Delete/],
  [
    'kubeadm',
    'CertificatesMissing',
    'Only one of the certificate ca and its key exists',
    /only for a new cluster/,
    /or remove/,
  ],
  [
    'kubeadm',
    'ApiServerUnavailable',
    'closed a connection',
    /load balancer/,
    /nothing on this machine is wrong/,
  ],
  [
    'components',
    'EtcdDataUnusable',
    'permission denied',
    /owner and mode.*Do not remove any/,
    /reset|replace/,
  ],
  [
    'components',
    'EtcdDataUnusable',
    'already been bootstrapped',
    /mount the disk.*If the data is lost/,
    /reset/,
  ],
  ['components', 'EtcdDataUnusable', 'cluster ID mismatch', /which of the two.*Remove the data/, /^Remove/],
  ['components', 'EtcdDataUnusable', 'database is corrupt', /restore a snapshot/, /empty|reset/],
  [
    'components',
    'EtcdDataUnusable',
    'newer etcd',
    /only if the cluster has other healthy control planes/,
    /or replace/,
  ],
  ['kubeadm', 'ImagePullFailed', 'unknown authority', /the registry's CA/, /is reachable/],
  ['kubeadm', 'ImagePullFailed', 'HTTP response to HTTPS client', /plain HTTP/, /is reachable/],
  ['kubeadm', 'ContainerRuntimeDown', 'permission denied', /must run as root/, /systemctl status/],
  [
    'kubeadm',
    'VersionSkew',
    'only supports external etcd version',
    /Upgrade the external etcd/,
    /Use an image/,
  ],
  ['kubeadm', 'EtcdUnhealthy', 'connection refused', /the external etcd answers/, /other control planes/],
  ['components', 'EtcdUnhealthy', '127.0.0.1:2379', /etcd on this machine/, /other control planes/],
  [
    'kubelet',
    'KubeletConfigInvalid',
    '/var/lib/kubelet/config.yaml is empty',
    /kubeadm writes that file/,
    /field/,
  ],
  ['kubelet', 'CgroupsUnsuitable', 'does not exist', /cgroupRoot/, /cgroup_enable/],
  ['kubelet', 'CertificateInvalid', 'private key does not match it', /kubelet\.key/, /Secrets/],
  [
    'runtime',
    'ProgramMissing',
    '/usr/local/bin/containerd',
    /where its unit expects it/,
    /directory of PATH/,
  ],
];

const CHECKS = 'error execution phase preflight: [preflight] Some fatal errors occurred:\n\t';
const KLOG = 'Jan 10 10:00:01 n1 kubelet[42]: E0110 10:00:01.000001      42 ';

/** The same for what is in no fixture. */
const SAID: [file: string, text: string, code: Code, remedy: RegExp, never: RegExp][] = [
  [
    'kubeadm',
    'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://10.0.0.9:6443/api": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    'ApiServerCertificateInvalid',
    /a proxy that intercepts TLS/,
    /certSANs/,
  ],
  [
    'kubeadm',
    'error execution phase upload-config/kubeadm: error uploading the kubeadm ClusterConfiguration: Unauthorized',
    'CredentialsRejected',
    /admin\.conf has not expired/,
    /token/,
  ],
  [
    'kubeadm',
    'error execution phase mark-control-plane: error applying control-plane label and taints: nodes "n1" is forbidden: User "kubernetes-admin" cannot patch resource "nodes" in API group "" at the cluster scope',
    'PermissionDenied',
    /super-admin\.conf/,
    /bootstrap-token/,
  ],
  [
    'kubeadm',
    'error execution phase addon/coredns: unable to create deployment: admission webhook "policy.example.com" denied the request: no owner',
    'PermissionDenied',
    /webhook, policy or admission plugin/,
    /RBAC/,
  ],
  [
    'kubeadm',
    'error execution phase kubelet-start: could not write /var/lib/kubelet/kubeadm-flags.env: write /var/lib/kubelet/kubeadm-flags.env: input/output error',
    'FileSystemReadOnly',
    /disk errors/,
    /writable/,
  ],
  [
    'kubeadm',
    'error execution phase kubelet-start: error writing kubelet configuration to disk: it is another one',
    'KubeletNotStarted',
    /why that file cannot be written/,
    /drop-in/,
  ],
  [
    'kubeadm',
    `${CHECKS}[ERROR ImagePull]: failed to pull image registry.k8s.io/pause:3.10: failed to pull and unpack image "registry.k8s.io/pause:3.10": no match for platform in manifest: not found`,
    'ImageNotFound',
    /Push an image for this architecture/,
    /kubernetesVersion/,
  ],
  [
    'kubeadm',
    `${CHECKS}[ERROR ImagePull]: failed to pull image registry.k8s.io/pause:3.10: failed to resolve reference "registry.k8s.io/pause:3.10": unexpected status from HEAD request to https://registry.k8s.io/v2/pause/manifests/3.10: 403 Forbidden`,
    'ImagePullDenied',
    /does not require credentials/,
    /make the image public/,
  ],
  [
    'kubeadm',
    `${CHECKS}[ERROR ImagePull]: failed to pull image private.example.com/kube-proxy:v1.33.1: pull access denied, repository does not exist or may require authorization: authorization failed`,
    'ImagePullDenied',
    /Check the image name/,
    /^Give/,
  ],
  [
    'kubelet',
    `${KLOG}run.go:74] "command failed" err="failed to run Kubelet: unable to load bootstrap kubeconfig: stat /etc/kuber>`,
    'KubeletFileMissing',
    /kubeadm writes that file/,
    /into the image/,
  ],
  [
    'kubelet',
    `${KLOG}run.go:74] "command failed" err="failed to run Kubelet: invalid Node Allocatable configuration. Resource \\"memory\\" has a reservation of 4Gi but capacity is 2Gi"`,
    'KubeletConfigInvalid',
    /larger machine type/,
    /ConfigMap/,
  ],
  [
    'kubelet-running',
    `${KLOG}pod_workers.go:1300] "Error syncing pod" err="failed to get sandbox runtime: no runtime for \\"nvidia\\" is configured"`,
    'ContainerRuntimeUnsuitable',
    /Configure the runtime nvidia/,
    /disabled_plugins/,
  ],
  [
    'kubelet-running',
    `${KLOG}pod_workers.go:1300] "Error syncing pod" err="failed to generate apparmor spec opts: apparmor profile not found my-profile"`,
    'ContainerNotStarted',
    /Load that AppArmor profile/,
    /program/,
  ],
  [
    'kubelet-running',
    `${KLOG}pod_workers.go:1300] "Error syncing pod" err="failed to load apparmor profiles: exec: \\"apparmor_parser\\": executable file not found in $PATH"`,
    'ProgramMissing',
    /Install the program named in the image/,
    /profile/,
  ],
];

const unit = (name: string, load: string, active: string) => ({
  ...{ name, load, active, sub: 'dead', result: 'success', restarts: 0, exitStatus: 0 },
});

describe('a remedy', () => {
  it.each(ADVICE)('%s: %s, %s', (file, code, cause, remedy, never) => {
    const [fixture, ...others] = readLogFixtures(file).filter(
      (one) => one.code === code && one.cause.includes(cause),
    );
    expect(others).toEqual([]);
    const found = READ[file]?.(fixture?.text ?? '', fixture?.more ?? []);
    expect(found?.code).toBe(code);
    expect(remedyOf(found)).toMatch(remedy);
    expect(remedyOf(found)).not.toMatch(never);
  });

  it.each(SAID)('%s: %s', (file, text, code, remedy, never) => {
    const found = READ[file]?.(
      text,
      file === 'kubelet-running' ? ['', '', 'ControlPlaneNotReady'] : ['init'],
    );
    expect(found?.code).toBe(code);
    expect(remedyOf(found)).toMatch(remedy);
    expect(remedyOf(found)).not.toMatch(never);
  });

  it('for a unit that is masked or was stopped does not ask for it in the image', () => {
    const kubelet = (load: string) =>
      explainKubeletEnd({ ...NO_EVIDENCE, units: [unit('kubelet.service', load, 'inactive')] });
    expect(kubelet('masked')?.remedy).toContain('systemctl unmask kubelet');
    expect(kubelet('loaded')?.remedy).toContain('systemctl start kubelet');
    expect(remedyOf(kubelet('not-found'))).toContain('are in the image');
    const base = bareFailure('KubeletUnhealthy', '');
    const units = [unit('containerd.service', 'masked', 'inactive')];
    expect(explainNode(base, { ...NO_EVIDENCE, units })).toMatchObject({
      code: 'ContainerRuntimeDown',
      remedy: expect.stringContaining('systemctl unmask containerd.service'),
    });
  });

  it('of the table that destroys something says in which case', () => {
    const destroys =
      /kubeadm reset|member remove|clear the TPM|delete[sd]? .*\bNode\b|remove its own member/i;
    const harmful = Object.entries(codes()).filter(
      ([, { fix }]) => destroys.test(fix) && !/\b(?:if|only|where|do not)\b/i.test(fix),
    );
    expect(harmful.map(([code]) => code)).toEqual([]);
  });
});
