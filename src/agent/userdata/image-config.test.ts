import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readImageConfig } from './image-config.ts';
import { networkOfImage } from './network/of-the-image.ts';
import { readMachine } from './sources/machine/machine.ts';
import { readSettings } from './sources/machine/settings.ts';

let root: string;
beforeEach(() => {
  root = scratch();
  mkdirSync(join(root, 'etc/cloud/cloud.cfg.d'), { recursive: true });
});

it("passes over what lies among the image's configurations and is none", async () => {
  const at = (name: string) => join(root, 'etc/cloud/cloud.cfg.d', name);
  execFileSync('mkfifo', [at('10-pipe.cfg')]);
  writeFileSync(at('20-huge.cfg'), '');
  truncateSync(at('20-huge.cfg'), 64 * 1024 * 1024);
  mkdirSync(at('30-folder.cfg'));
  writeFileSync(at('40-good.cfg'), 'timezone: UTC\ndatasource_list: [NoCloud]\nnetwork: {version: 2}\n');
  const host = createLinuxHost({ root });
  expect((await readImageConfig(host))?.entries).toHaveLength(1);
  expect((await networkOfImage(host)).config?.place).toContain('40-good.cfg');
  expect((await readSettings(await readMachine(host))).list).toEqual(['NoCloud']);
});
