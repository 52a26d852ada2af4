import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../../text/diagnostics.ts';
import { plainText } from '../../../text/source-text.ts';
import { clusterApiIgnition, type KubeadmIgnition } from '../fixtures/cluster-api.ts';
import { readIgnition } from '../read-ignition.ts';
import { environmentLines } from './lift.ts';

async function lifted(given: KubeadmIgnition) {
  const diagnostics = new Diagnostics();
  const document = await readIgnition(plainText(clusterApiIgnition(given)), diagnostics);
  const commands = document.commands.map((entry) =>
    entry.kind === 'kubeadm' ? { ...entry, args: entry.args.reveal() } : entry.shell.reveal(),
  );
  return { ...document, commands, report: diagnostics.entries };
}

describe('what Cluster API writes', () => {
  it('becomes a call of kubeadm with its commands around it', async () => {
    const {
      commands,
      files,
      units,
      shell,
      report: diagnostics,
    } = await lifted({
      before: ['echo "one $HOSTNAME"', 'if true; then', '  echo two', 'fi'],
      after: ['echo three'],
      call: 'kubeadm join --config /etc/kubeadm.yml --v 5',
    });
    expect(commands).toEqual([
      expect.stringMatching(/^set -e\n[\s\S]*echo "one \$HOSTNAME"\nif true; then\n {2}echo two\nfi\n/),
      {
        kind: 'kubeadm',
        verb: 'join',
        args: ['--config', '/etc/kubeadm.yml', '--v', '5'],
        configPath: '/etc/kubeadm.yml',
        sentinel: '/run/cluster-api/bootstrap-success.complete',
        where: expect.anything(),
      },
      expect.stringMatching(/^set -e\nmv \/etc\/kubeadm.yml \/tmp\/\n\necho three\n/),
    ]);
    expect(shell).toBe('/bin/bash');
    expect(files.map(({ path }) => path)).toEqual(['/etc/kubeadm.yml']);
    expect(units).toEqual([]);
    expect(diagnostics).toEqual([]);
  });

  it('tells what kubeadm needs of systemd, drop-ins included', async () => {
    const dropIn = `[Unit]
Requires=containerd.service coreos-metadata.service
After=containerd.service
[Service]
EnvironmentFile=/run/metadata/flatcar
StandardOutput=append:/var/log/kubeadm.log
`;
    const { commands, kubeadmUnit } = await lifted({ dropIn });
    expect(kubeadmUnit).toEqual({
      requires: ['containerd.service', 'coreos-metadata.service'],
      wants: [],
      after: ['network.target', 'containerd.service'],
    });
    expect(commands[0]).toContain("__slipway_environment '/run/metadata/flatcar'");
  });

  it.each<[string, KubeadmIgnition]>([
    ['a unit that starts more', { dropIn: '[Service]\nExecStartPre=/bin/true\n' }],
    ['a unit of another user', { dropIn: '[Service]\nUser=core\n' }],
    ['a unit with another condition', { dropIn: '[Unit]\nConditionPathExists=/x\n' }],
    ['a second call of kubeadm', { before: ['kubeadm join --config /a'] }],
    ['a call in another shape', { call: 'kubeadm join --config /etc/kubeadm.yml || reboot' }],
  ])('is left to systemd, with a warning, for %s', async (_, given) => {
    const { commands, units, report: diagnostics } = await lifted(given);
    expect(commands).toEqual(['systemctl start kubeadm.service']);
    expect(units?.some(({ name }) => name === 'kubeadm.service')).toBe(true);
    expect(diagnostics).toEqual([
      expect.objectContaining({ severity: 'warning', code: 'KubeadmNotTakenOver' }),
    ]);
  });
});

it('gives the shell what systemd would have given the unit', () => {
  const directory = mkdtempSync(join(tmpdir(), 'slipway-environment-'));
  try {
    writeFileSync(
      join(directory, 'flatcar'),
      '# no\nA=one two  \n;no\nB="three"\n\n  C=\'fo ur\'\nnot a setting\nD=$A `x`\nE=',
    );
    const lines = environmentLines([
      { name: 'Environment', value: 'F=six "G=se ven" H' },
      { name: 'EnvironmentFile', value: `-${directory}/missing` },
      { name: 'EnvironmentFile', value: `${directory}/fl*` },
    ]);
    const script = [
      'set -e',
      ...lines,
      'printf "%s|" "$A" "$B" "$C" "$D" "$E" "$F" "$G"',
      'env | grep -c ^A=',
    ].join('\n');
    expect(execFileSync('/bin/bash', ['-c', script], { encoding: 'utf8' })).toBe(
      'one two|three|fo ur|$A `x`||six|se ven|1\n',
    );
    const missing = [
      'set -e',
      ...environmentLines([{ name: 'EnvironmentFile', value: `${directory}/missing` }]),
    ];
    expect(() => execFileSync('/bin/bash', ['-c', missing.join('\n')], { stdio: 'pipe' })).toThrow();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
