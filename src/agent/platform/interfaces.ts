import type { Host } from '../host/host.ts';

export const INTERFACES_DIR = '/sys/class/net';

/** This machine's cards by their hardware addresses; vlans, bonds and bridges, which borrow theirs, are none. */
export async function interfacesByAddress(host: Host): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await host.files.list(INTERFACES_DIR)) {
    const read = async (file: string) =>
      (
        await host.files.readIfPresent(`${INTERFACES_DIR}/${name}/${file}`, 4096).catch(() => undefined)
      )?.toString('utf8') ?? '';
    const address = (await read('address')).trim().toLowerCase();
    if (address === '' || /^DEVTYPE=/m.test(await read('uevent')) || /^(?:00:)+00$/.test(address)) continue;
    if (!found.has(address)) found.set(address, name);
  }
  return found;
}
