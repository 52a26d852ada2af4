import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Outcome } from '../../../src/protocol/outcome.ts';
import { type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { type MachineOptions, workerJoin } from '../../support/cluster-api/user-data.ts';
import { expectNoStackTrace, expectTruth } from '../../support/expect-outcome.ts';
import { bootMachine } from '../../support/machines.ts';

export const about =
  'whatever is wrong, there is a verdict with a code, a cause and a remedy, and no sentinel';

const META_DATA = '/var/lib/cloud/seed/nocloud/meta-data';

interface Failing {
  name: string;
  userData: string | Uint8Array;
  code: string;
  exitStatus: number;
  /** What the cause must name. */
  says?: RegExp;
  deadline?: string;
}

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const cluster = await joinableCluster(await lab.controlPlane());
    const join = (discovery: MachineOptions['discovery']) =>
      workerJoin(cluster, { discovery: { timeout: '5s', ...discovery } });
    const good = workerJoin(cluster);
    const cases: Failing[] = [
      {
        name: "a CA hash that is not the cluster's",
        userData: join({ caCertHash: `sha256:${'0'.repeat(64)}` }),
        code: 'CaHashMismatch',
        exitStatus: 1,
      },
      {
        name: 'a token that the cluster does not know',
        userData: join({ token: 'aaaaaa.0123456789abcdef' }),
        code: 'TokenUnknown',
        exitStatus: 3,
        says: /aaaaaa/,
        deadline: '20s',
      },
      {
        name: 'an API server that refuses',
        userData: join({ endpoint: '10.99.0.1:7443' }),
        code: 'ApiServerUnreachable',
        exitStatus: 3,
        says: /10\.99\.0\.1:7443 refuses connections/,
        deadline: '20s',
      },
      {
        name: 'an API server that does not answer',
        userData: join({ endpoint: '10.99.0.250:6443' }),
        code: 'ApiServerUnreachable',
        exitStatus: 3,
        says: /10\.99\.0\.250:6443/,
        deadline: '20s',
      },
      {
        name: 'broken YAML',
        userData: '#cloud-config\nruncmd:\n  - "unterminated\n  - true\n',
        code: 'UserDataSyntax',
        exitStatus: 2,
        says: /line \d+, column \d+/,
      },
      {
        name: 'a wrong type',
        userData: '#cloud-config\nwrite_files: 7\n',
        code: 'UserDataInvalid',
        exitStatus: 2,
        says: /line 2, column \d+/,
      },
      { name: 'no bytes at all', userData: '', code: 'UserDataEmpty', exitStatus: 2 },
      {
        name: 'half of a gzip stream',
        userData: gzipSync(good).subarray(0, 200),
        code: 'UserDataUndecodable',
        exitStatus: 2,
      },
      {
        name: '17 MiB',
        userData: `#cloud-config\n#${'x'.repeat(17 << 20)}\n`,
        code: 'UserDataTooLarge',
        exitStatus: 2,
      },
      {
        name: 'a file of an unknown user',
        userData: '#cloud-config\nwrite_files:\n- {path: /etc/x, owner: "nobody-here:root", content: x}\n',
        code: 'FileNotWritten',
        exitStatus: 1,
        says: /nobody-here/,
      },
      {
        name: 'a command that ends the script',
        userData: good.replace('runcmd:\n', 'runcmd:\n  - "echo so long; exit 7"\n'),
        code: 'CommandEndedScript',
        exitStatus: 1,
      },
      {
        name: 'a command that does not end',
        userData: good.replace('runcmd:\n', 'runcmd:\n  - sleep 1000\n'),
        code: 'DeadlineExceeded',
        exitStatus: 3,
        says: /still running/,
        deadline: '3s',
      },
    ];
    const machine = await bootMachine(lab, 'w1', { role: 'worker', userData: good, mode: 'binary' });
    for (const failing of cases) {
      const outcome = await fail(machine, failing);
      await expectTruth(machine, [cluster.token]);
      say(`${failing.name}: ${outcome.failure?.code}`);
    }
    await fullDisk(machine, good);
    say('a full disk: DiskFull');
    await machine.put('/tmp/user-data', good);
    const cured = await machine.exec(
      ['slipway', 'bootstrap', '--user-data', '/tmp/user-data', '--meta-data', META_DATA],
      {
        timeoutMs: 180_000,
      },
    );
    assert.equal(cured.code, 0, `the same machine joins once its user data is right: ${cured.stderr}`);
    await expectTruth(machine, [cluster.token]);
    say('cured');
  } finally {
    await lab.close();
  }
}

async function fail(
  machine: Machine,
  { name, userData, code, exitStatus, says, deadline }: Failing,
): Promise<Outcome> {
  await machine.put('/tmp/user-data', userData, 0o600);
  const command = [
    'slipway',
    'bootstrap',
    '--user-data',
    '/tmp/user-data',
    '--meta-data',
    META_DATA,
    ...(deadline ? ['--deadline', deadline] : []),
  ];
  const done = await machine.exec(command, { timeoutMs: 120_000 });
  expectNoStackTrace(done.stdout + done.stderr);
  const outcome: Outcome = JSON.parse(await machine.read('/run/slipway/outcome.json'));
  assert.equal(outcome.failure?.code, code, `${name}: ${JSON.stringify(outcome.failure)}`);
  assert.equal(done.code, exitStatus, `${name}: exit status`);
  assert.equal(outcome.exitStatus, exitStatus);
  if (says) assert.match(outcome.failure?.cause ?? '', says, name);
  assert.ok((outcome.failure?.remedy ?? '').length > 10, `${name}: a remedy`);
  assert.ok(done.stderr.includes(code), `${name}: the code is told on standard error`);
  return outcome;
}

/** The journal's file system has no byte left; the verdict lies elsewhere and tells it. */
async function fullDisk(machine: Machine, userData: string): Promise<void> {
  await machine.put('/tmp/user-data', userData, 0o600);
  await machine.execOk([
    'sh',
    '-ec',
    'mkdir -p /var/lib/slipway; mount -t tmpfs -o size=64k tmpfs /var/lib/slipway; head -c 128k /dev/zero >/var/lib/slipway/fill || :',
  ]);
  const done = await machine.exec(
    ['slipway', 'bootstrap', '--user-data', '/tmp/user-data', '--meta-data', META_DATA],
    {
      timeoutMs: 60_000,
    },
  );
  await machine.execOk(['umount', '/var/lib/slipway']);
  expectNoStackTrace(done.stderr);
  assert.equal(done.code, 75, done.stderr);
  const outcome: Outcome = JSON.parse(await machine.read('/run/slipway/outcome.json'));
  assert.equal(outcome.failure?.code, 'DiskFull');
}
