import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execaSync } from 'execa';
import { tar } from '../../src/kit/bytes/tar.ts';
import { root } from '../project.ts';
import { dropDeadLinks } from './links.ts';

/** What people take as it is: folders, and files of one whose others only packages are made of. */
const TAKEN = [
  ...['cloud-init', 'ignition', 'packer', 'systemd', 'windows'],
  ...['images/README.md', 'images/disk', 'images/slipway-controller', 'images/sysext/10-reload.conf'],
  // Their READMEs lead there.
  ...['SECURITY.md', 'docs', 'manifests', 'release'],
];

/** A file of the archive, by its path in the checkout. */
interface InputFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** They, without what is not committed; their documents lead to nothing that is not among them. */
export function inputFiles(): InputFile[] {
  const { stdout } = execaSync('git', ['ls-files', '-z', '--', ...TAKEN], { cwd: root });
  const paths = stdout.split('\0').filter((path) => path !== '');
  const isThere = (path: string) => paths.some((one) => one === path || one.startsWith(`${path}/`));
  return paths.map((path) => {
    const content = readFileSync(join(root, path));
    if (!path.endsWith('.md')) return { path, content };
    return { path, content: Buffer.from(dropDeadLinks(path, content.toString('utf8'), isThere)) };
  });
}

/** They as one archive (tar.gz). @param date the commit's, which all files have */
export function imageInputs(date: Date): Buffer {
  const entries = inputFiles().map(({ path, content }) => ({
    path: `slipway-images/${path}`,
    content,
    mode: 0o644,
  }));
  return gzipSync(tar(entries, date.getTime() / 1000));
}
