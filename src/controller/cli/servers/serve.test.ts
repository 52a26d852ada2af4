import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import {
  ControllerProcess,
  controllerCommand,
  startController,
} from '../../../../test/support/controller/controller-process.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';

let folder: string;
beforeEach(() => {
  folder = scratch();
});

it('ends with a reason where a port is taken', async () => {
  const first = await ControllerProcess.start(['--standalone', `--data=${folder}/a`]);
  try {
    for (const [machines, admin, probes] of [
      [first.port, 0, 0],
      [0, first.adminPort, 0],
      [0, 0, first.probePort],
    ]) {
      const { code, stderr } = await controllerCommand([
        ...['serve', '--standalone', `--data=${folder}/b`],
        ...[`--listen=127.0.0.1:${machines}`, `--admin-listen=127.0.0.1:${admin}`],
        `--probe-listen=127.0.0.1:${probes}`,
      ]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^slipway-controller: listen EADDRINUSE: .*127\.0\.0\.1:\d+$/m);
    }
  } finally {
    expect(await first.end('SIGTERM')).toBe(0);
  }
});

it('ends when it is told to while an API server does not answer', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const file = join(folder, 'kubeconfig');
  const config = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'x', user: { token: 't' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  const controller = startController(['serve', `--kubeconfig=${file}`, '--listen=127.0.0.1:0']);
  try {
    await once(silent, 'connection');
    controller.kill('SIGTERM');
    expect(await controller).toMatchObject({ exitCode: 0 });
  } finally {
    controller.kill('SIGKILL');
    silent.close();
  }
});
