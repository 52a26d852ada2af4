import { sensitive } from '../../../secrets/sensitive.ts';
import type { ClevisSettings, EncryptionEntry, FetchSettings } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { fetchBytes } from '../../fetch/fetch.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { contentsOf, heldBy, refuseInUse } from '../storage/devices/content.ts';
import { findDevice } from '../storage/devices/find-device.ts';
import { eachEntry } from '../tools/each-entry.ts';
import { fetchProblem } from '../tools/fetch-problem.ts';
import { presentMode } from '../tools/present-mode.ts';
import { begunNote, givenUuid, isSameUuid } from './begun.ts';
import { CRYPTTAB, uuidInCrypttab, withCrypttabLine } from './crypttab.ts';
import type { EncryptionSpec } from './volume.ts';
import { givenKey, keptKeyPath, Volume, type VolumeKey, withKey } from './volume.ts';

const LUKS = 'crypto_LUKS';

/**
 * Encrypts devices (Ignition's `createLuks`) that hold nothing, or whose content is given up, and opens them. One that the
 * given key opens and that is as asked stays; one that was cut off while it was made is made again.
 */
export const encryptDevices: Work<EncryptionSpec> = (spec) => ({
  restsOn: ['disks', 'raid'],
  run: (context) => eachEntry(spec.entries, context, (entry) => encrypt(entry, spec, context)),
});

async function encrypt(entry: EncryptionEntry, spec: EncryptionSpec, context: StepContext): Promise<string> {
  const { host, signal } = context;
  const { name, clevis } = entry;
  const note = begunNote(host, 'luks', asked(entry));
  const begun = await note.read();
  const device = await findDevice(host, entry.device, signal);
  const content = await contentsOf(host, device);
  const isOwn = content.type === LUKS && isSameUuid(content.uuid, begun?.uuid);
  const volume = new Volume(entry, device, context);
  await refuseTakenName(entry, [content.uuid, begun?.uuid], context);
  const given = await givenKey(entry, spec, context);
  if (isOwn && begun?.isWhole === true) {
    if (!(await volume.isOpen())) await openAgain(volume, given, entry, context);
    return `${name} was there`;
  }
  if (content.type === LUKS && !isOwn && !entry.wipe) {
    await withKey(context.host, name, given, async (key) => {
      await volume.refuseOther(content, given === undefined ? undefined : key);
      if (!(await volume.isOpen())) await volume.open(key);
      await key.keep();
    });
    await addToCrypttab(entry, content.uuid ?? '', context);
    return `${name} was there`;
  }
  if (!isOwn && context.doneOtherwise) await refuseOwnOfBefore(entry, content.uuid, context);
  if (isOwn && (await volume.isOpen())) await volume.close();
  const held = heldBy(device, content);
  if (!isOwn && (!entry.wipe || context.isMissing) && held !== undefined)
    throw new StepError('DiskLeftAlone', `${entry.device} holds ${held}, and wipeVolume is not true`);
  await refuseInUse(host, device, `${entry.device} was not touched`);
  // A server that does not answer now could not open the volume later.
  await askTangServers(entry, spec.fetching, context);
  // cryptsetup takes the last one, and the options come last.
  const uuid = givenUuid(entry.options) ?? entry.uuid ?? host.uuid();
  await note.write({ uuid, isWhole: false });
  await withKey(context.host, name, given, async (key) => {
    if (clevis === undefined) await key.keep();
    await volume.format(uuid, key);
    await volume.open(key);
    if (clevis) await bindClevis(clevis, volume, key, given !== undefined);
  });
  await addToCrypttab(entry, uuid, context);
  await note.write({ uuid, isWhole: true });
  return `${name} made on ${entry.device}`;
}

/** What makes it the same volume; a key may change its place. */
function asked({ where: _, key, ...rest }: EncryptionEntry): object {
  return { ...rest, hasKey: key !== undefined };
}

async function openAgain(
  volume: Volume,
  given: Uint8Array | undefined,
  { name, clevis }: EncryptionEntry,
  { host }: StepContext,
): Promise<void> {
  if (clevis) return unlockByClevis(volume);
  const kept: VolumeKey = { path: keptKeyPath(name), keep: async () => undefined };
  return given === undefined ? volume.open(kept) : withKey(host, name, given, (key) => volume.open(key));
}

/** The key of another volume lies where this one's would. */
async function refuseTakenName(
  { name }: EncryptionEntry,
  own: readonly (string | undefined)[],
  { host }: StepContext,
): Promise<void> {
  const text = (await host.files.readIfPresent(CRYPTTAB))?.toString('utf8') ?? '';
  const uuid = uuidInCrypttab(text, name);
  if (uuid !== undefined && !own.some((one) => isSameUuid(one, uuid)))
    throw new StepError(
      'DiskInUse',
      `${name} stands for another volume in ${CRYPTTAB}, which was left as it is`,
    );
}

/** wipeVolume gives up what was there before this machine; what user data has asked of it since then holds its own data. */
async function refuseOwnOfBefore(
  { name, device }: EncryptionEntry,
  uuid: string | undefined,
  { host }: StepContext,
): Promise<void> {
  const text = (await host.files.readIfPresent(CRYPTTAB))?.toString('utf8') ?? '';
  if (uuid === undefined || !isSameUuid(uuid, uuidInCrypttab(text, name))) return;
  const cause = `${device} holds ${name}, which an earlier bootstrap of this machine made otherwise than is asked now; wipefs --all ${device} gives it up`;
  throw new StepError('DiskLeftAlone', cause);
}

async function addToCrypttab(entry: EncryptionEntry, uuid: string, { host }: StepContext): Promise<void> {
  const { name, clevis } = entry;
  const before = (await host.files.readIfPresent(CRYPTTAB))?.toString('utf8') ?? '';
  const keyFile = clevis ? 'none' : keptKeyPath(name);
  const after = withCrypttabLine(before, {
    name,
    uuid,
    keyFile,
    needsNetwork: clevis?.needsNetwork === true,
  });
  if (after === before) return;
  const mode = await presentMode(host, CRYPTTAB, 0o600);
  await host.files.write(CRYPTTAB, after, { mode, owner: '0:0' });
}

const MOST_BYTES = 1024 * 1024;

/** Before anything is changed. @throws Problem ResourceNotFetched, ResourceRefused */
async function askTangServers(
  { name, clevis }: EncryptionEntry,
  fetching: FetchSettings,
  { host, signal }: StepContext,
): Promise<void> {
  for (const server of clevis?.asks ?? []) {
    const address = new URL(server);
    address.pathname = `${address.pathname.replace(/\/+$/, '')}/adv`;
    try {
      const remote = { url: sensitive(address.href), headers: [], isCompressed: false };
      await fetchBytes(host, remote, fetching, MOST_BYTES, signal);
    } catch (error) {
      throw fetchProblem(error, `${name} was not encrypted: the tang server's advertisement`);
    }
  }
}

/** Binds an open volume, tries whether it opens so, and takes away the key that was made for this alone. */
async function bindClevis(
  { pin, config, isTried }: ClevisSettings,
  volume: Volume,
  key: VolumeKey,
  isGiven: boolean,
): Promise<void> {
  const device = ['-d', volume.path] as const;
  await volume.run('bind by clevis', [
    'clevis',
    'luks',
    'bind',
    '-f',
    '-k',
    key.path,
    ...device,
    pin,
    config,
  ]);
  if (isTried) {
    await volume.close();
    await unlockByClevis(volume);
  }
  if (!isGiven)
    await volume.run('take the first key from', ['cryptsetup', 'luksRemoveKey', volume.path, key.path]);
}

async function unlockByClevis(volume: Volume): Promise<void> {
  await volume.run('open by clevis', ['clevis', 'luks', 'unlock', '-d', volume.path, '-n', volume.name]);
}
