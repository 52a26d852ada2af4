import type { LoginKeySettings, SaidLogin } from '../../document/system-settings.ts';
import type { Cloud, Instance, NetworkConfig } from '../../platform/instance/instance.ts';

/** Metadata's `public-keys`: a text, a list, or a mapping of names. */
export function publicKeysOf(metaData: Record<string, unknown>): string[] {
  const value = metaData['public-keys'] ?? metaData.public_keys;
  const list =
    typeof value === 'string' ? value.split('\n') : Array.isArray(value) ? value : Object.values(value ?? {});
  return list.flat().flatMap((key) => (typeof key === 'string' && key !== '' ? [key] : []));
}

type OfSource = Pick<Instance, 'metaData'> & { cloud?: Pick<Cloud, 'keysByUser' | 'publicKeys'> };

/** The source's keys for the default user: those for anybody, and those for a user of that name. */
export function keysOfSource({ cloud, metaData }: OfSource, defaultUser: string | undefined): string[] {
  const ofUser = new Map(Object.entries(cloud?.keysByUser ?? {})).get(defaultUser ?? '') ?? [];
  return [...(cloud?.publicKeys ?? publicKeysOf(metaData)), ...ofUser];
}

/** Who may log in, with the source's keys; undefined where nobody's key is known. */
export function completeLogin(
  { fromMetadata, ...said }: SaidLogin,
  ofSource: readonly string[],
): LoginKeySettings | undefined {
  const keys = [...new Set([...(fromMetadata ? ofSource : []), ...said.keys])];
  return keys.length === 0 ? undefined : { ...said, keys };
}

/** A network configuration that a person has named; OpenStack's is known by what it holds. */
export function networkConfigOfFile(text: string, place: string): NetworkConfig {
  const isOpenStack = /^\s*\{/.test(text) && /"links"\s*:/.test(text);
  return { format: isOpenStack ? 'openstack' : 'cloud-init', text, place };
}
