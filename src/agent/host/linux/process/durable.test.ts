import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTinyRoot } from '../../../../../test/support/tiny-root.ts';
import { RUN_DIR } from '../../../document/paths.ts';
import { createLinuxHost } from '../host.ts';

it.runIf(process.getuid?.() === 0)('hides what a program prints, and not the verdict beside it', async () => {
  const { path: root, remove } = makeTinyRoot();
  await createLinuxHost({ root }).processes.runDurable({ name: 'a', argv: ['/bin/true'] });
  const modeOf = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8);
  expect([RUN_DIR, `${RUN_DIR}/exec`, `${RUN_DIR}/exec/a`].map(modeOf)).toEqual(['755', '700', '700']);
  remove();
});
