import { mkdirSync } from 'node:fs';
import { execaSync } from 'execa';
import { root } from '../../../build/project.ts';

/** Copies the tracked files of this checkout as they are now, committed or not, into a repository of its own. */
export function copyCheckout(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const list = (...words: string[]): string[] =>
    execaSync('git', ['ls-files', '-z', ...words], { cwd: root })
      .stdout.split('\0')
      .filter(Boolean);
  const deleted = new Set(list('--deleted'));
  const files = list().filter((path) => !deleted.has(path));
  const packed = execaSync('tar', ['--create', '--null', '--files-from=-'], {
    cwd: root,
    input: files.join('\0'),
    encoding: 'buffer',
    maxBuffer: 1 << 30,
  }).stdout;
  execaSync('tar', ['--extract', '--no-same-owner'], { cwd: folder, input: packed });
  const git = (...words: string[]) => execaSync('git', words, { cwd: folder });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '--message=as it is');
}
