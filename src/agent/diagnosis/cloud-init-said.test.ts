import { describe, expect, it } from 'vitest';
import { verdict } from '../../../test/support/logs/log-verdict.ts';

const BEGIN = "Cloud-init v. 24.4 running 'init' at Mon, 14 Sep 2026 10:00:01 +0000. Up 9.10 seconds.";
const END =
  'Cloud-init v. 24.4 finished at Mon, 14 Sep 2026 10:00:12 +0000. Datasource DataSourceNoCloud.  Up 19.20 seconds';
const said = (module: string, text: string): string =>
  `2026-09-14 10:00:02,480 - ${module}[WARNING]: ${text}`;

describe('where nothing of the user data ran', () => {
  it.each([
    [
      'could not read the user data as YAML (unacceptable character #x0080',
      said(
        'util.py',
        'Failed loading yaml blob. unacceptable character #x0080: special characters are not allowed',
      ),
    ],
    [
      'did not recognize the type of the user data (text/x-not-multipart)',
      said('__init__.py', "Unhandled non-multipart (text/x-not-multipart) userdata: 'b'apiVersion: v1'...'"),
    ],
    [
      'could not turn the commands into a script',
      said(
        'cc_runcmd.py',
        "Failed to shellify [{'echo a': 'b'}] into file /var/lib/cloud/instance/scripts/runcmd",
      ),
    ],
    [
      'A boothook in the user data failed (/var/lib/cloud/instances/i-0d6/boothooks/part-001)',
      said('util.py', 'Boothooks script /var/lib/cloud/instances/i-0d6/boothooks/part-001 execution error'),
    ],
    [
      'The user data includes file:///etc/rest.txt, which does not exist',
      said(
        'user_data.py',
        "[Errno 2] No such file or directory: '/etc/rest.txt' for url: file:///etc/rest.txt.",
      ),
    ],
  ])('cloud-init has said why: %s', (cause, line) => {
    expect(verdict(BEGIN, line, END)).toMatchObject({
      result: 'failed',
      failure: { code: 'CloudInitFailed', cause: expect.stringContaining(cause) },
      telling: [{ number: 2 }],
    });
  });
});

it('what a boothook is still to fetch is no lack', () => {
  const line =
    "[Errno 2] No such file or directory: '/etc/secret-userdata.txt' for url: file:///etc/secret-userdata.txt.";
  expect(verdict(BEGIN, said('user_data.py', line), END).result).toBe('nothing');
});

it('a script that failed may have kept kubeadm away, and is no verdict on it', () => {
  const line = said('util.py', 'Failed running /var/lib/cloud/instance/scripts/runcmd [1]');
  expect(verdict(BEGIN, 'E: Unable to locate package containerd.io', line, END)).toMatchObject({
    result: 'nothing',
    likely: {
      code: 'CloudInitFailed',
      cause: expect.stringContaining('scripts/runcmd exited with status 1'),
    },
  });
});

it('what kubeadm itself says is the answer, whatever cloud-init says behind it', () => {
  const line = said('util.py', 'Failed loading yaml blob. x');
  expect(
    verdict(
      line,
      '[preflight] Running pre-flight checks',
      '[ERROR Swap]: running with swap on is not supported',
    ).failure?.code,
  ).toBe('SwapEnabled');
});

it("a log of other programs is told as theirs, and kubeadm's last words as its own", () => {
  const kubelet =
    'Nov 21 02:34:01 n1 kubelet[812]: I1121 02:34:01.000001     812 server.go:484] "Kubelet version" kubeletVersion="v1.34.1"';
  expect(verdict(kubelet)).toMatchObject({ result: 'nothing', others: ['the kubelet'] });
  for (const tail of [
    [
      'This node has joined the cluster:',
      '* Certificate signing request was sent to apiserver and a response was received.',
    ],
    ["Run 'kubectl get nodes' on the control-plane to see this node join the cluster.", '', END],
    [
      'Your Kubernetes control-plane has initialized successfully!',
      '',
      'To start using your cluster, you need to run the following as a regular user:',
    ],
    [
      'Then you can join any number of worker nodes by running the following on each as root:',
      '',
      'kubeadm join 10.0.0.1:6443',
    ],
  ])
    expect(verdict(...tail).result, tail[0]).toBe('succeeded');
});

it.each([
  ['list of name and value', 'object', '[]v1beta4.Arg', 'v1beta4'],
  ['as a map', 'array', 'map[string]string', 'v1beta3'],
])(
  'a configuration of another version is told by its one line, and how to write it: %s',
  (remedy, is, type, version) => {
    const { failure } = verdict(
      `W0831 18:28:47.800834    4476 initconfiguration.go:332] error unmarshaling configuration schema.GroupVersionKind{Group:"kubeadm.k8s.io", Version:"${version}", Kind:"InitConfiguration"}: json: cannot unmarshal ${is} into Go struct field NodeRegistrationOptions.nodeRegistration.kubeletExtraArgs of type ${type}`,
    );
    expect(failure).toMatchObject({ code: 'KubeadmConfigInvalid', remedy: expect.stringContaining(remedy) });
  },
);
