import type { PlaceRule } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';

/**
 * Gives a file or directory the mode and owner that are said; what is not said stays as it is.
 * @throws HostError
 */
export async function giveAttributes(
  host: Host,
  { path, mode, owner, rule }: { path: string; mode: number; owner: string; rule?: PlaceRule },
): Promise<void> {
  const is = await host.files.stat(path);
  if (!is) return;
  const wanted = host.files.owner(owner);
  const said = (what: 'mode' | 'user' | 'group') => !rule?.unsaid.includes(what);
  await host.files.setAttributes(path, {
    uid: said('user') ? wanted.uid : is.uid,
    gid: said('group') ? wanted.gid : is.gid,
    mode: said('mode') ? mode : is.mode,
  });
}
