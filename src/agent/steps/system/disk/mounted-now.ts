import type { Host } from '../../../host/host.ts';

interface MountedNow {
  at: string;
  type: string;
}

/** What the kernel says is mounted. Undefined where there is no such machine: below a directory. */
export async function mountedNow({
  files,
  root,
}: Pick<Host, 'files' | 'root'>): Promise<MountedNow[] | undefined> {
  if (root !== '/') return undefined;
  const text = (await files.readIfPresent('/proc/mounts').catch(() => undefined))?.toString('utf8');
  return text?.split('\n').flatMap((line) => {
    const [, at = '', type = ''] = line.split(' ');
    return at === '' ? [] : [{ at, type }];
  });
}

/** The type of the file system that a path lies on. */
export function typeAt(mounts: readonly MountedNow[], path: string): string | undefined {
  const above = mounts.filter(({ at }) => `${path}/`.startsWith(at.endsWith('/') ? at : `${at}/`));
  const deepest = Math.max(...above.map(({ at }) => at.length));
  return above.findLast(({ at }) => at.length === deepest)?.type;
}
