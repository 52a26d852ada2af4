import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import type { SourceContext } from '../detection/source.ts';

/** What the host sends; the daemon of the guest writes it into this file, which only root may write. */
const POOL = '/var/lib/hyperv/.kvp_pool_0';
const KEY_BYTES = 512;
const VALUE_BYTES = 2048;
const MAX_BYTES = 16 * 1024 * 1024;
/** Ignition's key, and its numbered parts, since a value is short. */
const PART = /^ignition\.config(?:\.(\d+))?$/;

export async function detectHyperv({ dmi, has }: PlatformInfo): Promise<string | undefined> {
  if (dmi('sys_vendor') !== 'Microsoft Corporation' || dmi('product_name') !== 'Virtual Machine')
    return undefined;
  return (await has(POOL)) ? `DMI shows Hyper-V, and ${POOL} exists` : undefined;
}

/** Hyper-V's key-value pairs, with the user data under Ignition's keys. */
export async function readHypervKvp({ machine }: SourceContext): Promise<SourceAnswer> {
  const bytes = (await machine.host.files.readIfPresent(POOL, MAX_BYTES)) ?? Buffer.alloc(0);
  const parts = parsePool(bytes).flatMap(({ key, value }) => {
    const match = PART.exec(key);
    return match ? [{ order: Number(match[1] ?? 0), value }] : [];
  });
  if (parts.length === 0)
    return { kind: 'not-mine', looked: ['hyperv-kvp: no ignition.config among the key-value pairs'] };
  const text = parts
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value)
    .join('');
  return found({
    source: `hyperv-kvp (${POOL})`,
    userData: Buffer.from(text),
    metaData: { 'instance-id': machine.dmi('product_uuid').toLowerCase() },
  });
}

/** Records of 512 bytes of key and 2048 of value, each ended by a zero. */
export function parsePool(bytes: Buffer): { key: string; value: string }[] {
  const found: { key: string; value: string }[] = [];
  for (let at = 0; at + KEY_BYTES + VALUE_BYTES <= bytes.length; at += KEY_BYTES + VALUE_BYTES) {
    const text = (from: number, length: number) =>
      bytes.toString('utf8', from, from + length).split('\0')[0] ?? '';
    found.push({ key: text(at, KEY_BYTES), value: text(at + KEY_BYTES, VALUE_BYTES) });
  }
  return found;
}
