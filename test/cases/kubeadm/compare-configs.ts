import { strict as assert } from 'node:assert';
import { execaSync } from 'execa';
import { checkConfig } from '../../../src/agent/kubeadm/config/api/check-config.ts';
import { convertConfig } from '../../../src/agent/kubeadm/config/api/convert.ts';
import { readDocuments } from '../../../src/agent/kubeadm/config/yaml/config-documents.ts';
import { type FakeKubeadm, KUBEADM } from '../../support/kubeadm/fake-kubeadm.ts';
import { type ConfigCase, sound, spoilers } from './configs.ts';

/** Converts a configuration for the real kubeadm and looks at what that one has read. */
export function convertAndRead(machine: FakeKubeadm, config: ConfigCase, minor: number): void {
  const { about, verb, text, understood, flags } = config;
  assert.deepEqual(checkConfig(verb, readDocuments(text, about)), [], about);
  const converted = convertConfig(verb, readDocuments(text, about), minor);
  assert.ok(converted, `${about} was not converted`);
  assert.deepEqual(converted.flags, flags, about);
  const { exitCode, stdout, stderr } = migrate(machine, converted.text);
  assert.equal(exitCode, 0, `${about}: kubeadm refuses\n${converted.text}\n${stderr}`);
  assert.doesNotMatch(stderr, /unknown field/, about);
  const lines = stdout.split('\n');
  for (const line of understood) assert.ok(lines.includes(line), `${about}: "${line}" is not in\n${stdout}`);
}

/**
 * Spoils the values of sound configurations: whatever the check calls an error, kubeadm must refuse. The other way round
 * need not hold: what the check does not know is left to kubeadm.
 */
export function compareChecks(machine: FakeKubeadm): { refused: number; agreed: number } {
  const sum = { refused: 0, agreed: 0 };
  for (const verb of ['join', 'init'] as const) spoil(machine, verb, sum);
  return sum;
}

function spoil(machine: FakeKubeadm, verb: 'init' | 'join', sum: { refused: number; agreed: number }): void {
  const whole = sound(verb);
  assert.deepEqual(checkConfig(verb, readDocuments(whole, 'sound')), []);
  assert.equal(migrate(machine, whole).exitCode, 0);
  const lines = whole.trimEnd().split('\n');
  lines.forEach((line, index) => {
    const match = /^( *(?:- )?)((?:[a-zA-Z]+: )?)\S+$/.exec(line);
    if (match === null || line === '---' || line.endsWith(':') || /^(apiVersion|kind):/.test(line)) return;
    // Half of the ways at each line, the other half at the next: each asks a kubeadm of its own.
    const ways = spoilers().filter((_, way) => (way + index) % 2 === 0);
    for (const spoiler of ways) {
      const text = lines.with(index, `${match[1]}${match[2]}${spoiler}`).join('\n');
      const errors = checkConfig(verb, readDocuments(text, 'spoilt')).filter(
        ({ severity }) => severity === 'error',
      );
      sum.agreed += 1;
      if (errors.length === 0) continue;
      sum.refused += 1;
      if (isBeyondParsing(line)) continue;
      const { exitCode, stderr } = migrate(machine, text);
      assert.notEqual(
        exitCode,
        0,
        `kubeadm takes what is refused here: ${errors[0]?.message}\n${text}\n${stderr}`,
      );
    }
  });
}

/** kubeadm sees these only when it uses them: CA hashes at discovery, taints when the kubelet starts. */
function isBeyondParsing(line: string): boolean {
  return /^ {4}- sha256|effect:/.test(line);
}

function migrate(machine: FakeKubeadm, text: string) {
  machine.put('/config.yaml', text);
  const command = ['chroot', machine.root.path, KUBEADM, 'config', 'migrate', '--old-config', '/config.yaml'];
  return execaSync('unshare', ['--net', ...command], { reject: false, timeout: 600_000 });
}
