import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execaSync } from 'execa';
import { tar } from '../../src/kit/bytes/tar.ts';
import { root } from '../project.ts';

/** What people take as it is: folders, and files of one whose others only packages are made of. */
const TAKEN = [
  ...['cloud-init', 'ignition', 'packer', 'systemd', 'windows'],
  ...['images/README.md', 'images/disk', 'images/slipway-controller', 'images/sysext/10-reload.conf'],
  // Their READMEs lead there.
  ...['SECURITY.md', 'docs', 'release'],
];

/** They as one archive (tar.gz), without what is not committed. @param date the commit's, which all files have */
export function imageInputs(date: Date): Buffer {
  const { stdout } = execaSync('git', ['ls-files', '-z', '--', ...TAKEN], { cwd: root });
  const entries = stdout
    .split('\0')
    .filter((path) => path !== '')
    .map((path) => ({
      path: `slipway-images/${path}`,
      content: readFileSync(join(root, path)),
      mode: 0o644,
    }));
  return gzipSync(tar(entries, date.getTime() / 1000));
}
