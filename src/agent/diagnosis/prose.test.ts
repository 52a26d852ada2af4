/** Text that is no log, though an error stands in it, and logs that somebody has pasted into a text. */
import { describe, expect, it } from 'vitest';
import { code, HINT } from '../../../test/support/logs/log-verdict.ts';

const SWAP = '[ERROR Swap]: running with swap on is not supported';
const TOKEN =
  'error execution phase preflight: couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"';
const block = (...lines: string[]): string[] => ['```', ...lines, '```'];

describe('an error is no log', () => {
  it.each<[string, string[]]>([
    ['in Korean', [`증상: \`${TOKEN}\``, '원인: 방화벽', '해결: 규칙 추가']],
    ['in user data', ['#cloud-config', 'write_files:', '- content: |', `    Should it say ${SWAP}`]],
    [
      'in a playbook',
      ['- name: Join', '  command: kubeadm join --config x', `  failed_when: "'${SWAP}' in out.stderr"`],
    ],
    ['in an alert', ['- alert: Join', '  expr: count(x) > 0', `  description: 'look for "${SWAP}"'`]],
    ['in what builds an image', ['FROM debian:13', `# it says "${SWAP}"`, 'RUN apt-get install -y kubeadm']],
    ['in what a change is for', ['What this PR does / why we need it:', `A join ended with \`${SWAP}\`.`]],
    ['in an examination', [`**Q12. You get \`${SWAP}\`. Why?**`, 'A. Swap', 'B. Time', 'C. None']],
    ['in a list for programs', [`{"symptom": "${SWAP}", "solution": "swapoff -a"}`]],
    ['announced to the reader', [`Sometimes you may see this message: \`${SWAP}\`. Use swapoff.`]],
    ['behind a command', [`sudo swapoff -a   # otherwise: ${SWAP}`, 'sudo kubeadm init']],
    ['where it is over', [`It all works fine now. I had \`${SWAP}\` because of fstab.`]],
    ['where it is over, in French', [`L'erreur « ${TOKEN} » est corrigée : le jeton.`]],
    ['where it is mended, in Chinese', [`修复了 kubeadm join 报错 "${TOKEN}" 的问题`]],
    ['where it is mended for good', [`Two nodes ended with \`${SWAP}\`. A new disk solved that for good.`]],
    ['in a list of issues', [`  "issue": "${SWAP}",`, '  "solution": "swapoff -a"']],
    [
      'in a question for programs, without quotation marks around its keys',
      [
        '{',
        '  id: "n7",',
        '  level: "hard",',
        `  scene: "After a boot the kubelet says \\"${SWAP}\\".",`,
        '  ask: "Which remedy is right?",',
        '}',
      ],
    ],
    [
      'in a literal of Go',
      [
        '\tNode:   Node{Version: "v1.34.1", Image: "x"},',
        '\tNet:    Net{Name: "cilium"},',
        '\tErrors: []string{',
        `\t\t"2026-01-02T03:04:05+0000 join.sh[12]: ${TOKEN}",`,
        '\t},',
      ],
    ],
    [
      'in the long comment of a script',
      [
        'put_in() {',
        '  # The packages of the image do not say that they need it, and so all of them',
        '  # can be put in without it. Then the first call of kubeadm ends with this line:',
        `  #   ${SWAP}`,
        '  # and the unit tries it again once a minute, which looks like a cluster that is',
        '  # only slow to come up. Whoever takes this away waits for hours, as we have seen.',
      ],
    ],
    [
      'in a sentence about others',
      [`Nodes of last year's image reported "${SWAP}" until it was replaced.`, 'Bye'],
    ],
    [
      'in what a test calls',
      ['@test "it reports swap" {', `  run explain "${SWAP}"`, '  [ "$status" -eq 1 ]', '}'],
    ],
    [
      'in a sentence longer than any title',
      [
        `Unlike the other role, ours calls the join three times: a machine that is slower than the others logs \`${SWAP}, and again ${SWAP}, and ${SWAP}\` once, and is there a minute later, as is every other machine.`,
      ],
    ],
    [
      'in what a program is to do',
      ['Scenario: swap is on', `  Given a log with "${SWAP}"`, '  Then it says so'],
    ],
    ['on a condition, in German', [`Wenn kubeadm "${SWAP}" meldet, hilft swapoff.`]],
    ['where it came once, in Chinese', [`以前常见的报错是 ${SWAP}，换了镜像之后就没有了。`]],
  ])('%s', (_, lines) => {
    expect(code(...lines)).toBe('nothing');
  });
});

describe('an error is one', () => {
  it.each<[string, string[]]>([
    [
      'to who reports it',
      ['**Root cause**', 'none yet', '**Workaround**', 'none', SWAP, 'Steps to reproduce:'],
    ],
    ['where others say how it was solved', [SWAP, 'How can I fix this?', '> swapoff -a', 'That fixed it!']],
    ['in what a script keeps', ['cat <<EOF', '[preflight] Running pre-flight checks', SWAP, 'EOF']],
    ['where it is not over', [SWAP, 'I rebooted and it is still not fixed.']],
    ['in what Ansible printed', ['- name: Join', '  shell: x', `fatal: [n1]: FAILED! => ${SWAP}`]],
  ])('%s', (_, lines) => {
    expect(code(...lines)).toBe('SwapEnabled');
  });

  it.each<[string, string[]]>([
    ['in a page', ['---', 'title: Swap', '---', '## Problem', ...block(SWAP), '## Solution', 'swapoff -a']],
    [
      'in an issue',
      ['### What happened', 'It does not come up.', ...block(SWAP, HINT), '### Anything else?'],
    ],
    ['in a mail', ['On Monday A. wrote:', `> ${SWAP}`, 'I have it, too.']],
    ['in the log of a repository', ['commit 3f2a91c', 'Author: A <a@example.org>', '', `      ${SWAP}`]],
  ])('pasted %s', (_, lines) => {
    expect(code(...lines)).toBe('SwapEnabled');
  });

  it('behind what the program that runs kubeadm says of it', () => {
    expect(code(`error: cannot join the cluster: ${TOKEN}`)).toBe('TokenUnknown');
  });

  it("with kubeadm's own advice to its reader", () => {
    const advice = '[preflight] If you know what you are doing, you can make a check non-fatal with `--x`';
    expect(code(SWAP, advice)).toBe('SwapEnabled');
    expect(code(`${SWAP}${advice}`)).toBe('SwapEnabled');
  });
});

it('there is no lack of kubeadm where a page says what to do for that', () => {
  expect(code('If `kubeadm: command not found` appears, install it.')).toBe('nothing');
  expect(code('sudo: kubeadm: command not found')).toBe('KubeadmNotFound');
  expect(code('/tmp/x.sh: line 3: kubeadm: command not found')).toBe('KubeadmNotFound');
  expect(code('sh: 1: kubeadm: not found')).toBe('KubeadmNotFound');
});
