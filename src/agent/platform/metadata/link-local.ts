import type { Host } from '../../host/host.ts';
import type { Base } from './metadata-client.ts';

/** Where OpenStack and Hetzner answer on every link. */
const ADDRESS = 'fe80::a9fe:a9fe';
const MAX_INTERFACES = 4;

/**
 * The metadata service's addresses on the machine's own links. Only network cards count, which are devices: whoever holds
 * the other end of a pod's interface could answer there.
 */
export async function linkLocalBases({ files }: Host): Promise<Base[]> {
  const bases: Base[] = [];
  for (const name of await files.list('/sys/class/net')) {
    if ((await files.stat(`/sys/class/net/${name}/device`)) === undefined) continue;
    bases.push({ url: `http://[${ADDRESS}]`, address: `${ADDRESS}%${name}` });
  }
  return bases.slice(0, MAX_INTERFACES);
}
