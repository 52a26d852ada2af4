import { describe, expect, it } from 'vitest';
import { readDocument } from '../userdata/fixtures/read-document.ts';
import { checkDocument } from './check-document.ts';

const userData = (config: string, before = '') => `#cloud-config
write_files:
- path: /run/kubeadm/join.yaml
  content: |
${config.replace(/^/gm, '    ')}
runcmd:
${before}- kubeadm join --config /run/kubeadm/join.yaml && echo success > /run/x
`;

const GOOD = `apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery:
  bootstrapToken: {token: abcdef.0123456789abcdef, apiServerEndpoint: "a:1", unsafeSkipCAVerification: true}
`;

const check = (text: string) =>
  checkDocument(readDocument(Buffer.from(text), { metaData: {}, source: 'test' })).map(
    ({ severity, message, where }) => `${severity} ${where?.line} ${message}`,
  );

describe('checkDocument', () => {
  it('has nothing to say of a sound configuration, or where there is none', () => {
    expect(check(userData(GOOD))).toEqual([]);
    expect(check('#cloud-config\nruncmd: [kubeadm join --config /elsewhere]\n')).toEqual([]);
    expect(check('#cloud-config\n{}\n')).toEqual([]);
  });

  it('tells an error before anything is done, unless a command may still mend it', () => {
    const bad = userData(GOOD.replace('"a:1"', 'a'));
    expect(check(bad)).toEqual([
      expect.stringMatching(
        /^error 8 .*apiServerEndpoint must be host:port \(\/run\/kubeadm\/join.yaml line 4, column 52\)/,
      ),
    ]);
    expect(check(bad.replace('runcmd:\n', 'runcmd:\n- sed -i s/a/a:6443/ /run/kubeadm/join.yaml\n'))).toEqual(
      [expect.stringMatching(/^warning 8 /)],
    );
    expect(check(`${bad}bootcmd: ["true"]\n`)).toEqual([expect.stringMatching(/^warning/)]);
  });

  it('tells what no YAML reader takes', () => {
    expect(check(userData('a: [\n'))).toEqual([expect.stringMatching(/^error 3 .*is not valid: .*line \d/)]);
  });

  it('says nothing of a file that is only added to', () => {
    const added = userData(GOOD.replace('"a:1"', 'a')).replace(
      '  content: |',
      '  append: true\n  content: |',
    );
    expect(check(added)).toEqual([]);
  });

  it('takes a variable that a command fills in before kubeadm for no name', () => {
    const named = userData(`${GOOD}nodeRegistration: {name: "\${INSTANCE_ID}"}\n`);
    expect(check(named)).toEqual([
      expect.stringMatching(
        /^error 9 .*cannot be the name of a node .*; nothing before kubeadm sets the variable$/,
      ),
    ]);
    const withCommand = (command: string) => check(named.replace('runcmd:\n', `runcmd:\n- ${command}\n`));
    expect(withCommand('envsubst < /run/kubeadm/join.yaml > /tmp/a')).toEqual([]);
    expect(withCommand('sed -i s/a/b/ /run/kubeadm/join.yaml')).toEqual([]);
    expect(withCommand('envsubst < /etc/other.yaml')).toHaveLength(1);
    expect(withCommand('cat /run/kubeadm/join.yaml')).toHaveLength(1);
    const after = named.replace(/$/, '- envsubst < /run/kubeadm/join.yaml\n');
    expect(check(after)).toEqual([expect.stringMatching(/^error/)]);
  });

  it('tells the line of the user data only where the lines of the file stand there', () => {
    const bad = GOOD.replace('"a:1"', 'a');
    const folded = userData(bad).replace('content: |', `content: ${JSON.stringify(bad)}\n  x: |`);
    expect(check(folded)).toEqual([expect.stringMatching(/^error 3 .*line 4, column 52/)]);
  });
});
