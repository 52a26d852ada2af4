import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root as checkout } from '../../../build/project.ts';
import { type MachineFile, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { metaData } from '../../support/cluster-api/user-data.ts';
import { SEED } from '../../support/machines.ts';
import { fileOf } from '../case-file.ts';
import { fill, secretsOf, valuesOf } from '../values.ts';
import { expectVerdict } from '../verdict.ts';

/** Cluster API's user data and cloud-init/baked.yaml, whose files are added. */
function userData(rendered: string): string {
  const baked = readFileSync(join(checkout, 'cloud-init/baked.yaml'), 'utf8');
  const part = (type: string, text: string, more = '') =>
    `--part\nContent-Type: text/${type}; charset="utf-8"\nMIME-Version: 1.0\n${more}\n${text}\n`;
  const added = 'Merge-Type: list(append)+dict(no_replace,recurse_list)+str()\n';
  return `Content-Type: multipart/mixed; boundary="part"\nMIME-Version: 1.0\n\n${part('jinja2', rendered)}${part('cloud-config', baked, added)}--part--\n`;
}

/** The machines of an image: with cloud-init, which calls Slipway, and where cloud-init is switched off. */
const MACHINES: Readonly<Record<string, { mode: 'shim' | 'bootstrap'; files: Record<string, MachineFile> }>> =
  {
    w1: { mode: 'shim', files: {} },
    w2: { mode: 'bootstrap', files: { '/etc/cloud/cloud-init.disabled': { content: '' } } },
  };

/** @param over what was built lies over the lab's image, uppermost first */
export async function expectJoined(over: readonly string[], say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const cluster = await joinableCluster(await lab.controlPlane());
    const text = fill(
      readFileSync(fileOf(import.meta.dirname, 'worker.user-data'), 'utf8'),
      await valuesOf(cluster),
    );
    for (const [name, { mode, files }] of Object.entries(MACHINES)) {
      const machine = await lab.up(name, {
        role: 'worker',
        cloudInit: true,
        over,
        files: {
          [`${SEED}/user-data`]: { content: userData(text), mode: 0o600 },
          [`${SEED}/meta-data`]: { content: metaData(name), mode: 0o600 },
          ...files,
        },
      });
      await machine.execOk(['slipway', 'status', '--wait', '--timeout', '10m'], { timeoutMs: 400_000 });
      await expectVerdict(machine, { result: 'succeeded', mode }, secretsOf(cluster));
      await machine.execOk(['grep', '-q', 'console: true', '/etc/slipway/config.yaml']);
      say(`a machine of that image joins (${mode})`);
      await machine.down();
    }
  } finally {
    await lab.close();
  }
}
