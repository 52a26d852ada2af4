import { describe, expect, it } from 'vitest';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { awaitStart } from './await-start.ts';

/** What systemctl is called for where the units are in these states. */
async function calls(...units: string[]): Promise<string[][]> {
  const real = createLinuxHost();
  const called: string[][] = [];
  const run = async ({ argv }: { argv: string[] }) => {
    called.push(argv);
    return { exitStatus: 0, stdout: units.join('\n'), stderr: '' };
  };
  const host = { ...real, processes: { ...real.processes, run } } as unknown as Host;
  await awaitStart(host, 'runtime', new AbortController().signal);
  return called.slice(1);
}

const unit = (id: string, active: string, job: number, load = 'loaded') =>
  `Id=${id}\nLoadState=${load}\nActiveState=${active}\nJob=${job}\n`;

describe('awaitStart', () => {
  it('waits for nothing that is up, failed, stopped or not there', async () => {
    expect(
      await calls(
        unit('containerd.service', 'active', 0),
        unit('crio.service', 'failed', 0),
        unit('cri-docker.service', 'inactive', 0),
        unit('docker.service', 'inactive', 7, 'not-found'),
      ),
    ).toEqual([]);
  });

  it('joins the starts that are under way or wait for their turn', async () => {
    expect(
      await calls(unit('containerd.service', 'activating', 12), unit('docker.service', 'inactive', 13)),
    ).toEqual([['systemctl', 'start', '--', 'containerd.service', 'docker.service']]);
  });
});
