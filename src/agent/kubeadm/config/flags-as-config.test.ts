import { describe, expect, it } from 'vitest';
import { checkConfig } from './api/check-config.ts';
import { readConfig } from './config.ts';
import { flagsAsConfig } from './flags-as-config.ts';
import { readDocuments } from './yaml/config-documents.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const HASH = `sha256:${'0'.repeat(64)}`;
const MINORS = [20, 26, 30, 36];

describe('a join by flags as a configuration', () => {
  const CALLS = [
    ['10.0.0.1:6443', '--token', TOKEN, '--discovery-token-ca-cert-hash', HASH, '-v5'],
    ['--token', TOKEN, 'api:6443', '--discovery-token-unsafe-skip-ca-verification', '--node-name=a'],
    [
      ...['api:1', '--discovery-token', TOKEN, '--tls-bootstrap-token', 'fedcba.0123456789abcdef'],
      ...['--discovery-token-ca-cert-hash', `${HASH},${HASH}`],
    ],
    ['--discovery-file', '/a b.conf', '--cri-socket', 'unix:///run/a.sock'],
    [
      ...['a:1', '--token', TOKEN, '--discovery-token-ca-cert-hash', HASH, '--control-plane'],
      ...['--certificate-key', 'a'.repeat(64), '--apiserver-advertise-address', '10.0.0.2'],
      ...[
        '--apiserver-bind-port',
        '7443',
        '--skip-phases',
        'preflight',
        '--ignore-preflight-errors=Swap,Mem',
      ],
    ],
  ];

  it.each(MINORS.flatMap((minor) => CALLS.map((args) => [minor, args] as const)))(
    'says the same to kubeadm 1.%i: %j',
    (minor, args) => {
      const said = flagsAsConfig(args, minor);
      if (said === undefined) throw new Error('nothing was said');
      const documents = readDocuments(said.text, 'file');
      expect(checkConfig('join', documents)).toEqual([]);
      const { configVersion, token, ...rest } = readConfig({ verb: 'join', args: said.args, documents });
      const { token: original, ...asked } = readConfig({ verb: 'join', args });
      expect(rest).toEqual(asked);
      expect(token?.reveal()).toBe(original?.reveal());
      expect(configVersion).toBe(minor < 22 ? 'v1beta2' : minor < 31 ? 'v1beta3' : 'v1beta4');
      // No other program of the machine sees what is in the list of processes.
      expect(said.args.join(' ')).not.toContain(TOKEN);
    },
  );

  it.each([
    ['flags that contradict each other', ['a:1', '--token', TOKEN, '--discovery-file', '/a']],
    ['no API server', ['--token', TOKEN]],
    ['two API servers', ['a:1', 'b:1', '--token', TOKEN]],
    ['an unknown flag', ['a:1', '--token', TOKEN, '--shiny']],
    ['an empty value', ['a:1', '--token', '']],
    ['a key without a control plane', ['a:1', '--token', TOKEN, '--certificate-key', 'a']],
  ])('leaves to kubeadm: %s', (_, args) => {
    expect(flagsAsConfig(args, 36)).toBeUndefined();
  });

  it('has patches where a version has a place for them', () => {
    const args = ['a:1', '--token', TOKEN, '--patches', '/p'];
    expect(flagsAsConfig(args, 20)).toBeUndefined();
    expect(flagsAsConfig(args, 30)?.text).toContain('patches:\n  directory: "/p"');
  });
});
