import { type Host, HostError } from '../host/host.ts';
import { isExtension } from './layout.ts';

/** Each merged extension, of Slipway or not, has its release file there. */
const MERGED = '/usr/lib/extension-release.d';
const RELEASE = 'extension-release.';
/** Where systemd-sysext looks for extensions. */
const EXTENSIONS = [
  ...['/etc/extensions', '/run/extensions', '/var/lib/extensions'],
  ...['/usr/local/lib/extensions', '/usr/lib/extensions'],
];

export function isReadOnly(error: unknown): boolean {
  return error instanceof HostError && error.errno === 'EROFS';
}

/**
 * Why a folder takes nothing, and what helps. A merged extension, whoever's, makes all of /usr read-only.
 *
 * @param always what helps where the file system is read-only for good
 */
export async function explainReadOnly(host: Host, folder: string, always: string): Promise<string> {
  const releases = (await host.files.list(MERGED)).filter((name) => name.startsWith(RELEASE));
  if (!folder.startsWith('/usr/') || releases.length === 0)
    return `${folder} is on a read-only file system: mount it for writing, then call this again; where it is always read-only, ${always}`;
  const names = releases.map((name) => name.slice(RELEASE.length)).join(', ');
  const next = (await isExtension(host))
    ? 'systemd-sysext unmerge takes this program away too, so do it by hand behind that'
    : 'call systemd-sysext unmerge, then this again';
  return `${folder} is read-only while a system extension is merged (${names}): ${next}, and systemd-sysext merge at the end`;
}

/** What has to be removed that the extension does not come back. */
export async function extensionFiles(host: Host): Promise<string[]> {
  const found: string[] = [];
  for (const folder of EXTENSIONS)
    for (const name of ['slipway.raw', 'slipway'])
      if (await host.files.stat(`${folder}/${name}`)) found.push(`${folder}/${name}`);
  return found;
}
