import type { NetworkSettings } from '../document/network-settings.ts';
import type { Host } from '../host/host.ts';
import { stillStarting } from '../startup/starting.ts';

const WAIT_MS = 30_000;
/** What systemd gives a unit by default; the unit's own state ends the wait earlier. */
const START_MS = 90_000;
const LOOK_MS = 250;
/** Programs drop what is no longer asked for only after they have answered. */
const SETTLED_LOOKS = 5;

export interface Address {
  name: string;
  address: string;
}

/** Addresses that reach beyond the link. */
export function globalAddresses(host: Host): Address[] {
  return host
    .interfaceAddresses()
    .filter(({ address }) => !/^(?:127\.|::1(?:\/|$)|fe80:|169\.254\.)/i.test(address));
}

/** Are all that were asked for in force? */
export function hasAddresses(host: Host, settings: NetworkSettings): boolean {
  return missing(host, settings).length === 0;
}

/**
 * Waits until the addresses are there, those of DHCP too; those of links that are optional nobody waits for.
 *
 * @param hadSome The machine had addresses before: it counts what stays
 * @returns what has not come
 */
export async function waitForAddresses(
  host: Host,
  settings: NetworkSettings,
  signal: AbortSignal,
  hadSome: boolean,
): Promise<string[]> {
  let looks = 0;
  await waitUntil(host, signal, () => {
    looks = hasAddresses(host, settings) ? looks + 1 : 0;
    return looks >= (hadSome ? SETTLED_LOOKS : 1);
  });
  return missing(host, settings);
}

/** Waits for the addresses while what sets them up is still starting: what it has not done yet is not wrong. */
export async function waitWhileStarting(
  host: Host,
  settings: NetworkSettings,
  signal: AbortSignal,
  tell: (message: string) => void,
): Promise<void> {
  let isTold = false;
  const isOver = async () => {
    if (hasAddresses(host, settings)) return true;
    const starting = await stillStarting(host, 'NetworkNotConfigured');
    if (starting !== undefined && !isTold)
      tell(`waiting for ${missing(host, settings).join(', ')}: ${starting}`);
    isTold = true;
    return starting === undefined;
  };
  await waitUntil(host, signal, isOver, START_MS);
}

/** Looks again and again, for as long as a network may take to come up. */
export async function waitUntil(
  host: Host,
  signal: AbortSignal,
  isSo: () => boolean | Promise<boolean>,
  limitMs = WAIT_MS,
): Promise<void> {
  const end = host.clock.monotonic() + limitMs;
  while (!(await isSo()) && !signal.aborted && host.clock.monotonic() < end)
    await host.clock.sleep(LOOK_MS, signal).catch(() => undefined);
}

function missing(host: Host, { links }: NetworkSettings): string[] {
  const there = host.interfaceAddresses().map(({ address }) => canonical(address));
  const needed = links.filter(({ optional }) => optional !== true);
  const fixed = needed
    .flatMap(({ addresses }) => addresses)
    .filter((cidr) => !there.includes(canonical(cidr)));
  const dynamic = needed.filter(({ dhcp4, dhcp6 }) => dhcp4 !== undefined || dhcp6 !== undefined);
  const isDynamic = dynamic.length === 0 || globalAddresses(host).length > 0;
  return [...fixed, ...(isDynamic ? [] : dynamic.map(({ id }) => `an address for ${id} by DHCP`))];
}

/** One spelling for each address. */
function canonical(cidr: string): string {
  const [address = '', length = ''] = cidr.split('/');
  if (!address.includes(':')) return cidr;
  const url = URL.canParse(`http://[${address}]`) ? new URL(`http://[${address}]`).hostname : address;
  return `${url}/${length}`;
}
