import { expect, it } from 'vitest';
import { codes } from '../../protocol/codes/codes.ts';
import { checkCreatesNode } from './creates-node.ts';
import { readDocument } from './fixtures/read-document.ts';

const check = (text: string, onDisk: [string, string][] = []) =>
  checkCreatesNode(readDocument(Buffer.from(text), { source: 'test', metaData: {} }, onDisk));

it.each([
  [
    'a list with a slip in its name',
    '#cloud-config\nrun_cmd: [kubeadm join]\n',
    'was run_cmd meant to be runcmd?',
    2,
  ],
  ['a header only', '#cloud-config\n', undefined, undefined],
  ['null', '#cloud-config\nnull\n', undefined, undefined],
  ['no command', '#cloud-config\nruncmd: []\n', undefined, undefined],
  [
    'a program with a slip in its name',
    '#cloud-config\nruncmd:\n- echo a\n- kubeadn join --config /a\n',
    'was kubeadn meant to be kubeadm?',
    4,
  ],
  [
    'a verb with a slip in its name',
    '#cloud-config\nruncmd:\n- /usr/bin/kubeadm jion\n',
    'was kubeadm jion meant to be kubeadm join?',
    3,
  ],
  [
    'a verb with a slip in its name, behind another word',
    '#cloud-config\nruncmd:\n- sudo kubeadm jion\n',
    'was kubeadm jion meant to be kubeadm join?',
    3,
  ],
])('makes no node: %s', (_, text, hint, line) => {
  const [entry, ...more] = check(text);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ severity: 'error', code: 'UserDataMakesNoNode' });
  expect(entry?.message).toMatch(/^The user data does not call kubeadm init or kubeadm join/);
  expect(entry?.message.endsWith('creates no node')).toBe(hint === undefined);
  if (hint) expect(entry?.message).toContain(hint);
  expect(entry?.where?.line).toBe(line);
});

it.each([
  ['a command', '#cloud-config\nruncmd: [kubeadm join --config /run/kubeadm/a.yaml]\n'],
  ['a command left to the shell', '#cloud-config\nruncmd: ["sudo kubeadm init --config /a || reboot"]\n'],
  ['a script', '#!/bin/sh\nkubeadm join 10.0.0.1:6443 --token a\n'],
  ['a wish for none', '#cloud-config\nslipway: {kubeadm: none}\n'],
])('is content with %s', (_, text) => {
  expect(check(text)).toEqual([]);
});

it.each([
  ['a script that does nothing', '#!/bin/sh\nexit 0\n', undefined],
  ['a very long word', `#!/bin/sh\n${'a'.repeat(2_000_000)}\n`, undefined],
  ['another command of kubeadm', '#cloud-config\nruncmd: [kubeadm version]\n', 'a command names kubeadm'],
  ['words that are only printed', '#cloud-config\nruncmd: [echo kubeadm join]\n', 'a command names kubeadm'],
  [
    'a program of the image',
    '#cloud-config\nruncmd: [/usr/local/bin/bootstrap-node.sh --role worker]\n',
    undefined,
  ],
  [
    'a script from a server',
    '#cloud-config\nruncmd: ["curl -fsSL http://10.0.0.1/join.sh | bash"]\n',
    undefined,
  ],
])('does not know what %s makes', (_, text, hint) => {
  const [entry, ...more] = check(text);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ severity: 'warning', code: 'NotKnownToMakeANode' });
  if (hint) expect(entry?.message).toContain(hint);
});

it.each([
  [
    'a file that a command runs',
    '#cloud-config\nwrite_files: [{path: /a.sh, content: "kubeadm join --config /a\\n"}]\nruncmd: [sh /a.sh]\n',
    /^\/a\.sh calls kubeadm itself/,
  ],
  [
    'a unit that nothing enables',
    '#cloud-config\nwrite_files: [{path: /etc/systemd/system/kj.service, content: "[Service]\\nExecStart=/usr/bin/kubeadm join --config /a\\n"}]\n',
    /^The unit kj\.service calls kubeadm itself/,
  ],
  [
    'a boot command',
    '#cloud-config\nbootcmd: ["kubeadm join --config /a || true"]\n',
    /^Bootcmd 1 \(kubeadm\) calls kubeadm/,
  ],
])('names %s as the place of the call', (_, text, message) => {
  expect(check(text)).toMatchObject([
    {
      severity: 'warning',
      code: 'KubeadmNotTakenOver',
      message: expect.stringMatching(message),
      where: { line: 2 },
    },
  ]);
});

it("takes the image's word that no node is wanted", () => {
  expect(check('#cloud-config\n', [['/etc/slipway/node.yaml', 'kubeadm: none\n']])).toEqual([]);
});

it('says that a script calls kubeadm, which gets no retries then', () => {
  const script = '#!/bin/sh\nkubeadm join 10.0.0.1:6443 --token a\n';
  expect(readDocument(Buffer.from(script), { source: 'test', metaData: {} }).report).toMatchObject([
    { severity: 'warning', code: 'KubeadmNotTakenOver' },
  ]);
});

const IGNITION = '{"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "/etc/a"}]}}';

it('says for an Ignition config what it can do about it', () => {
  const [entry] = check(IGNITION);
  expect(entry?.code).toBe('UserDataMakesNoNode');
  expect(codes().UserDataMakesNoNode.fix).toMatch(
    /unit .*Ignition config.*node\.yaml, which counts for every/,
  );
  expect(check(IGNITION, [['/etc/slipway/node.yaml', 'kubeadm: none\n']])).toEqual([]);
});
