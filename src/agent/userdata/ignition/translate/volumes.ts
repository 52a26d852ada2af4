import type { ArrayEntry, ClevisSettings, EncryptionEntry } from '../../../document/document.ts';
import type { Remarks } from '../check/remarks.ts';
import type { Places } from '../schema/bind.ts';
import type { Config, Luks, Raid, Storage } from '../schema/spec3.ts';
import type { Contents } from './content.ts';
import { contentOf } from './entries.ts';

/** RAID arrays and encrypted devices of a config. */
export function volumesOf(
  { raid = [], luks = [] }: Storage,
  contents: Contents,
  places: Places,
  say: Remarks,
): { arrays?: ArrayEntry[]; encryptions?: EncryptionEntry[] } {
  return {
    ...(raid.length > 0 ? { arrays: raid.map((one) => arrayOf(one, places, say)) } : {}),
    ...(luks.length > 0 ? { encryptions: luks.map((one) => encryptionOf(one, contents, places, say)) } : {}),
  };
}

/** What is no name of a file would lead out of /dev/md, /dev/mapper and /etc/luks. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,126}$/;

function arrayOf(raid: Raid, places: Places, say: Remarks): ArrayEntry {
  const { name = '', level = '', devices = [], spares = 0, options = [] } = raid;
  const own = /^\/dev\/(?:md\/)?([^/]+)$/.exec(name)?.[1] ?? name;
  if (!NAME.test(own)) say.error(raid, ['name'], 'is not a valid array name');
  if (spares < 0 || spares >= devices.length)
    say.error(raid, ['spares'], 'leaves no active device for the array');
  options.forEach((option, index) => {
    if (/^(?:--(?:uuid|raid-devices|spare-devices|level|create)\b|-[ulnxC])/.test(option))
      say.error(options, [index], 'is set by Slipway itself');
  });
  const { where } = places.of(raid);
  return {
    name,
    path: name.startsWith('/dev/') ? name : `/dev/md/${name}`,
    ...{ level, devices, spares, options },
    ...(where ? { where } : {}),
  };
}

function encryptionOf(luks: Luks, contents: Contents, places: Places, say: Remarks): EncryptionEntry {
  const { name = '', device = '', label, uuid, options = [], openOptions = [], clevis, keyFile } = luks;
  if (!NAME.test(name)) say.error(luks, ['name'], 'is not a valid volume name');
  if (uuid && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid))
    say.error(luks, ['uuid'], 'is no UUID');
  const { where } = places.of(luks);
  const settings = clevis && clevisOf(clevis);
  return {
    ...{ name, device, options, openOptions },
    ...(label ? { label } : {}),
    ...(uuid ? { uuid } : {}),
    discard: luks.discard === true,
    wipe: luks.wipeVolume === true,
    ...(keyFile?.source ? { key: contentOf(keyFile, contents, say) } : {}),
    ...(settings ? { clevis: settings } : {}),
    ...(where ? { where } : {}),
  };
}

/** As Ignition asks clevis: what is given goes into one secret that is shared. */
function clevisOf({
  custom,
  tang = [],
  tpm2,
  threshold = 1,
}: NonNullable<Luks['clevis']>): ClevisSettings | undefined {
  if (custom?.pin) {
    const { pin, config = '', needsNetwork } = custom;
    return { pin, config, asks: [], needsNetwork: needsNetwork === true, isTried: false };
  }
  if (tang.length === 0 && tpm2 !== true) return undefined;
  const servers = tang.map(({ url = '', thumbprint, advertisement }) => ({
    url,
    ...(thumbprint ? { thp: thumbprint } : {}),
    ...(advertisement ? { adv: JSON.parse(advertisement) as unknown } : {}),
  }));
  const asks = tang.flatMap(({ url = '', advertisement }) => (advertisement ? [] : [url]));
  const pins = {
    ...(servers.length > 0 || tpm2 !== true ? { tang: servers } : {}),
    ...(tpm2 ? { tpm2: {} } : {}),
  };
  return {
    pin: 'sss',
    config: JSON.stringify({ pins, t: threshold }),
    asks,
    needsNetwork: tang.length > 0,
    isTried: asks.length + (tpm2 === true ? 1 : 0) >= threshold,
  };
}

/** Refuses what Slipway does not do, before anything is done. */
export function rejectUnsupported({ storage = {} }: Config, say: Remarks): void {
  for (const luks of storage.luks ?? [])
    if (luks.cex?.enabled === true)
      say.error(luks, ['cex'], 'needs mainframe crypto cards, which Slipway does not support');
}
