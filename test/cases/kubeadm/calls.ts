/** Calls of kubeadm that fail before it touches anything, with the code that each must get. */
import type { Code } from '../../../src/protocol/codes/codes.ts';

export interface CallCase {
  args: string[];
  /** Written to /config.yaml first. */
  config?: string;
  code: Code;
  cause: RegExp;
}

const TOKEN = 'abcdef.0123456789abcdef';

/** @param minor kubeadm's minor version; it decides which configuration it reads. */
export function calls(minor: number): CallCase[] {
  const version = minor >= 31 ? 'v1beta4' : minor >= 22 ? 'v1beta3' : 'v1beta2';
  const head = `apiVersion: kubeadm.k8s.io/${version}\nkind: JoinConfiguration\n`;
  const discovery = (endpoint: string, token = TOKEN): string =>
    `discovery: {bootstrapToken: {token: ${token}, apiServerEndpoint: "${endpoint}", unsafeSkipCAVerification: true}}\n`;
  const config = (text: string, code: Code, cause: RegExp): CallCase => ({
    args: ['join', '--config', '/config.yaml'],
    config: text,
    code,
    cause,
  });
  return [
    { args: ['join', '--config', '/nope'], code: 'KubeadmConfigNotFound', cause: /\/nope cannot be read/ },
    { args: ['join', '--no-such-flag'], code: 'KubeadmArgumentInvalid', cause: /--no-such-flag/ },
    { args: ['join', '--token'], code: 'KubeadmArgumentInvalid', cause: /needs an argument/ },
    { args: ['join'], code: 'KubeadmConfigInvalid', cause: /field discovery/ },
    { args: ['init', '--skip-phases=nope'], code: 'NoUsableAddress', cause: /no usable IP address/ },
    {
      args: ['init', '--token', 'abcdef.0123456789abcde'],
      code: 'KubeadmConfigInvalid',
      cause: /is malformed/,
    },
    { args: ['init', '--feature-gates', 'Foo=true'], code: 'KubeadmConfigInvalid', cause: /Foo/ },
    config(`${head} x: [\n`, 'KubeadmConfigInvalid', /line \d+/),
    config('', 'KubeadmConfigInvalid', /no JoinConfiguration/),
    config('a: b\n', 'KubeadmConfigInvalid', /kind and apiVersion/),
    config(head.replace(version, 'v1alpha1'), 'KubeadmConfigVersionUnsupported', /v1alpha1/),
    config(head.replace(version, 'v1beta9'), 'KubeadmConfigVersionUnsupported', /v1beta9/),
    config(`${head}${discovery('no-port')}`, 'KubeadmConfigInvalid', /apiServerEndpoint/),
    config(
      `${head}${discovery('192.0.2.1:6443', 'abcdef.0123456789abcde')}`,
      'KubeadmConfigInvalid',
      /token/,
    ),
    config(
      `${head}${discovery('192.0.2.1:6443')}nodeRegistration: {name: a_b}\n`,
      'NodeNameInvalid',
      /"a_b"/,
    ),
    config(
      `${head}${discovery('192.0.2.1:6443')}nodeRegistration: {name: a, criSocket: /x.sock}\n`,
      'ProgramMissing',
      /not installed/,
    ),
  ];
}
