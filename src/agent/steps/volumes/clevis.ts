import { sensitive } from '../../../secrets/sensitive.ts';
import type { ClevisSettings, EncryptionEntry, FetchSettings } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { fetchBytes } from '../../fetch/fetch.ts';
import { fetchProblem } from '../tools/fetch-problem.ts';
import type { Volume } from './volume.ts';
import type { VolumeKey } from './volume-key.ts';

const MOST_BYTES = 1024 * 1024;

/** Before anything is changed. @throws Problem ResourceNotFetched, ResourceRefused */
export async function askTangServers(
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
export async function bindClevis(
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

export async function unlockByClevis(volume: Volume): Promise<void> {
  await volume.run('open by clevis', ['clevis', 'luks', 'unlock', '-d', volume.path, '-n', volume.name]);
}
