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
  const part = (type: string, text: string) =>
    `--part\nContent-Type: text/${type}; charset="utf-8"\nMIME-Version: 1.0\n\n${text}\n`;
  return `Content-Type: multipart/mixed; boundary="part"\nMIME-Version: 1.0\n\n${part('jinja2', rendered)}${part('cloud-config', baked)}--part--\n`;
}

/** A machine of an image with Slipway in it. */
export interface Imaged {
  /** What was built lies over the lab's image, uppermost first. */
  readonly over: readonly string[];
  /** With cloud-init, which calls Slipway, or with cloud-init switched off. */
  readonly mode: 'shim' | 'bootstrap';
}

const WITHOUT_CLOUD_INIT: Readonly<Record<string, MachineFile>> = {
  '/etc/cloud/cloud-init.disabled': { content: '' },
};

/** Boots the machines, one after the other, and sees each join. */
export async function expectJoined(
  machines: Readonly<Record<string, Imaged>>,
  say: (line: string) => void,
): Promise<void> {
  const lab = await openLab();
  try {
    const cluster = await joinableCluster(await lab.controlPlane());
    const text = fill(
      readFileSync(fileOf(import.meta.dirname, 'worker.user-data'), 'utf8'),
      await valuesOf(cluster),
    );
    for (const [name, { mode, over }] of Object.entries(machines)) {
      const machine = await lab.up(name, {
        role: 'worker',
        cloudInit: true,
        over,
        files: {
          [`${SEED}/user-data`]: { content: userData(text), mode: 0o600 },
          [`${SEED}/meta-data`]: { content: metaData(name), mode: 0o600 },
          ...(mode === 'shim' ? {} : WITHOUT_CLOUD_INIT),
        },
      });
      await machine.execOk(['slipway', 'status', '--wait', '--timeout', '10m'], { timeoutMs: 600_000 });
      await expectVerdict(machine, { result: 'succeeded', mode }, secretsOf(cluster));
      await machine.execOk(['grep', '-q', 'console: true', '/etc/slipway/config.yaml']);
      say(`a machine of that image joins (${name}, ${mode})`);
      await machine.down();
    }
  } finally {
    await lab.close();
  }
}
