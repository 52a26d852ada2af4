import { CONFIG_FILES } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { writableByOthers } from '../../host/writable-by-others.ts';
import { isOwnDocument } from '../../text/own-document.ts';
import type { DropIn } from './drop-ins.ts';

const MAX_BYTES = 1024 * 1024;

/** The documents among the files of /etc/slipway/config.d; the others are settings. @throws HostError */
export async function findDropIns(host: Host): Promise<DropIn[]> {
  const found: DropIn[] = [];
  for (const name of await host.files.list(CONFIG_FILES.dropIns)) {
    if (!/^[^.].*\.ya?ml$/.test(name)) continue;
    const path = `${CONFIG_FILES.dropIns}/${name}`;
    const text = (await host.files.readIfPresent(path, MAX_BYTES))?.toString('utf8') ?? '';
    if (!isOwnDocument(text)) continue;
    const unsafe = await writableByOthers(host, path);
    found.push(unsafe === undefined ? [path, text] : [path, '', unsafe]);
  }
  return found;
}
