import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { root } from '../project.ts';

/** Makes `folder` a checkout of the commit at which this one stands, with the same packages. */
export function cloneCheckout(folder: string): void {
  mkdirSync(folder, { recursive: true });
  execaSync('git', ['clone', '--quiet', '--shared', root, folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}
