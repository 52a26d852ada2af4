import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';

const PROGRAMS = [
  'sh',
  'cat',
  'mv',
  'rm',
  'mkfifo',
  'sleep',
  'printf',
  'env',
  'true',
  'false',
  'kill',
  'touch',
  'wc',
];

export interface TinyRoot {
  path: string;
  remove(): void;
}

/**
 * A directory that can be chrooted into: a POSIX shell and a few programs of this machine with the libraries they need.
 * Enough for steps that run commands below `--root`; needs root to be used.
 */
export function makeTinyRoot(programs: string[] = []): TinyRoot {
  const path = mkdtempSync(join(tmpdir(), 'slipway-root-'));
  for (const directory of ['bin', 'etc', 'run', 'tmp', 'var/lib', 'dev', 'proc']) {
    mkdirSync(join(path, directory), { recursive: true });
  }
  execaSync('mknod', ['-m', '666', join(path, 'dev/null'), 'c', '1', '3']);
  writeFileSync(
    join(path, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n',
  );
  writeFileSync(join(path, 'etc/group'), 'root:x:0:\nadm:x:4:\n');
  for (const name of [...PROGRAMS, ...programs]) install(path, name);
  return { path, remove: () => removeRoot(path) };
}

/** Removes a directory that agents worked below, with what still runs in it. */
export function removeRoot(path: string): void {
  endWithin(path);
  rmSync(path, { recursive: true, force: true });
}

/** What a killed agent leaves running on purpose waits for one that comes after it; here none does. */
function endWithin(root: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const isWithin = readlinkSync(`/proc/${pid}/root`) === root || words.includes(`\0${root}/run/slipway/`);
      if (isWithin && Number(pid) !== process.pid) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function install(root: string, name: string): void {
  const found = ['/bin', '/usr/bin', '/sbin', '/usr/sbin'].map((dir) => join(dir, name)).find(existsSync);
  if (found === undefined) return;
  copy(root, realpathSync(found), join('/bin', name));
  const libraries = execaSync('ldd', [found]).stdout.matchAll(/(\/[^\s()]+)/g);
  for (const [, library] of libraries) if (library) copy(root, library, library);
}

function copy(root: string, from: string, to: string): void {
  const target = join(root, to);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target)) copyFileSync(realpathSync(from), target);
}
