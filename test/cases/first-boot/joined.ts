import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { metaData } from '../../support/cluster-api/user-data.ts';
import { SEED } from '../../support/machines.ts';
import type { TestRelease } from '../../support/release/test-release.ts';
import { fileOf } from '../case-file.ts';
import { fill, secretsOf, valuesOf } from '../values.ts';
import { expectVerdict } from '../verdict.ts';
import { shipped } from './boot.ts';

/** Serves from early in the boot, as a server in the machine's network would. */
const SERVER = `[Unit]
DefaultDependencies=no
Before=cloud-init.service
[Service]
ExecStart=/usr/bin/python3 -m http.server 8080 --bind 127.0.0.1 --directory /srv/release
[Install]
WantedBy=sysinit.target
`;

/** A machine of an image without Slipway joins by it, with the user data that Cluster API renders. */
export async function expectJoined(release: TestRelease, say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const cluster = await joinableCluster(await lab.controlPlane());
    const names = ['slipway-linux-x64', 'SHA256SUMS', 'SHA256SUMS.minisig'];
    const machine = await lab.up('w1', {
      role: 'worker',
      cloudInit: true,
      files: {
        ...Object.fromEntries(
          names.map((name) => [`/srv/release/${name}`, { from: join(release.folder, name) }]),
        ),
        [`${SEED}/user-data`]: {
          content: fill(
            readFileSync(fileOf(import.meta.dirname, 'worker.user-data'), 'utf8'),
            await valuesOf(cluster),
          ),
        },
        [`${SEED}/meta-data`]: { content: metaData('w1') },
        [`${SEED}/vendor-data`]: { content: shipped('vendor-data.sh', release) },
      },
      units: { 'release-server.service': { content: SERVER } },
    });
    await machine.waitFor(() => machine.exists('/usr/local/bin/slipway'), { timeoutMs: 600_000 });
    await machine.execOk(['slipway', 'status', '--wait', '--timeout', '10m'], { timeoutMs: 600_000 });
    await expectVerdict(machine, { result: 'succeeded', mode: 'shim' }, secretsOf(cluster));
    await expectReporter(machine);
    say('a machine that has fetched it joins a cluster by it, and its reporter was started');
  } finally {
    await lab.close();
  }
}

/** It ends by itself when the Node is Ready, so on a busy machine it may have ended when somebody looks. */
async function expectReporter(machine: Machine): Promise<void> {
  const show = [
    'systemctl',
    'show',
    'slipway-report.service',
    '-p',
    'ExecMainStartTimestampMonotonic,Result',
  ];
  const wasStarted = async () => /Monotonic=[1-9]/.test(await machine.execOk(show));
  await machine.waitFor(wasStarted, { timeoutMs: 600_000, what: 'the reporter to be started' });
  assert.match(await machine.execOk(show), /Result=success/);
}
