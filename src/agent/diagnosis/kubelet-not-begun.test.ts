/** kubeadm finds no kubelet or no control plane, and what little a log has besides says why. */
import { describe, expect, it } from 'vitest';
import { HINT, verdict } from '../../../test/support/logs/log-verdict.ts';

const CALL =
  '\tThe HTTP call equal to \'curl -sSL http://127.0.0.1:10248/healthz\' returned error: Get "http://127.0.0.1:10248/healthz": dial tcp 127.0.0.1:10248: connect: connection refused';
const failed = (finding: string[] = [], call = CALL): string[] => [
  '[init] Using Kubernetes version: v1.31.2',
  '[preflight] Running pre-flight checks',
  ...finding,
  '[kubelet-start] Starting the kubelet',
  '[kubelet-check] The kubelet is not healthy after 4m0.000526s',
  '',
  'Unfortunately, an error has occurred:',
  call,
  '',
  'error execution phase wait-control-plane: could not initialize a Kubernetes cluster',
  HINT,
];
const failureOf = (...lines: string[]) => verdict(...lines).failure;
const at = (program: string, text: string): string =>
  `Nov 23 17:52:02 h9 ${program}: kubelet.service: ${text}`;
const systemd = (text: string): string => at('systemd[1]', text);

describe('a kubelet of which only kubeadm speaks', () => {
  const SWAP =
    '\t[WARNING Swap]: swap is supported for cgroup v2 only. The kubelet must be properly configured';
  const RAN =
    'Nov 23 17:52:02 h9 kubelet[7]: E1123 17:52:02.000001       7 run.go:72] "command failed" err="failed to parse kubelet flag: unknown flag: --x"';

  it('does not run, whatever a warning before that is about', () => {
    expect(failureOf(...failed(['\t[WARNING Hostname]: hostname "n1" could not be reached']))).toMatchObject({
      code: 'KubeletUnhealthy',
      cause: 'The kubelet is not running: nothing answers at http://127.0.0.1:10248/healthz.',
    });
  });

  it('most likely ends for the swap that kubeadm has warned of', () => {
    expect(failureOf(...failed([SWAP]))).toMatchObject({
      code: 'SwapEnabled',
      cause: expect.stringMatching(/unless failSwapOn is false\.$/),
    });
    expect(failureOf(...failed([SWAP]), '', RAN)?.code).toBe('KubeletBadFlag');
    // One that answers has not ended.
    const slow = CALL.replace(
      'dial tcp 127.0.0.1:10248: connect: connection refused',
      'context deadline exceeded',
    );
    expect(failureOf(...failed([SWAP], slow))?.code).toBe('KubeletUnhealthy');
  });

  it('says why it ends in the last line of an older one', () => {
    const line =
      'F1118 08:01:10.123456    4182 server.go:198] failed to parse kubelet flag: unknown flag: --allow-privileged';
    expect(failureOf(...failed(), '', line)?.code).toBe('KubeletBadFlag');
  });
});

describe('a kubelet that systemd does not start', () => {
  it.each([
    [
      'a program before it that is not there, of which systemd speaks in its name',
      [
        at('(prepare)[256]', 'Failed to locate executable /opt/site/prepare: No such file or directory'),
        at('(prepare)[256]', 'Failed at step EXEC spawning /opt/site/prepare: No such file or directory'),
        systemd('Control process exited, code=exited, status=203/EXEC'),
      ],
      /^\/opt\/site\/prepare, which kubelet\.service starts, cannot be started by systemd: No such file/,
    ],
    [
      'a command before it that fails',
      [
        systemd('Control process exited, code=exited, status=1/FAILURE'),
        systemd("Failed with result 'exit-code'."),
      ],
      /a command before it failed with exit status 1\/FAILURE \(ExecStartPre/,
    ],
    [
      'an EnvironmentFile that is not there',
      [
        systemd('Failed to load environment files: No such file or directory'),
        systemd("Failed to run 'start' task: No such file or directory"),
      ],
      /an EnvironmentFile of kubelet\.service is missing/,
    ],
    [
      'its own program',
      [
        at('(kubelet)[256]', 'Failed at step EXEC spawning /usr/bin/kubelet: Exec format error'),
        systemd('Main process exited, code=exited, status=203/EXEC'),
      ],
      /^The kubelet \/usr\/bin\/kubelet cannot be started by systemd: Exec format error/,
    ],
  ])('is told by %s', (_, lines, cause) => {
    const again = [...lines, ...lines, ...lines];
    expect(failureOf(...failed(), '', ...again)).toMatchObject({
      code: 'KubeletNotStarted',
      cause: expect.stringMatching(cause),
    });
  });
});

describe('a control plane of which only the kubelet speaks', () => {
  const error =
    'error execution phase wait-control-plane: failed while waiting for the control plane to start: kube-scheduler check failed at https://127.0.0.1:10259/livez: context deadline exceeded';
  const loop = (name: string): string =>
    `Nov 23 17:52:02 h9 kubelet[7]: E1123 17:52:02.000001       7 pod_workers.go:1324] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"${name}\\" with CrashLoopBackOff: \\"back-off 20s restarting failed container=${name} pod=${name}-h9_kube-system(be7d)\\"" pod="kube-system/${name}-h9"`;
  const lines = [
    '[init] Using Kubernetes version: v1.36.2',
    '[kubelet-start] Starting the kubelet',
    error,
    HINT,
  ];

  it.each([
    ['EtcdCrashing', ['kube-apiserver', 'etcd', 'kube-scheduler'], 'etcd'],
    ['ControlPlaneCrashing', ['kube-apiserver', 'kube-scheduler'], 'kube-apiserver'],
    ['ControlPlaneCrashing', ['kube-scheduler'], 'kube-scheduler'],
  ])('is told as %s where %j end again and again', (code, names, first) => {
    expect(failureOf(...lines, '', ...names.map(loop))).toMatchObject({
      code,
      cause: `${first} keeps exiting and is restarted (CrashLoopBackOff); its own log has the reason.`,
    });
  });

  it("is not told by somebody's pod that ends", () => {
    expect(failureOf(...lines, '', loop('my-etcd'))?.code).toBe('ControlPlaneNotReady');
  });
});
