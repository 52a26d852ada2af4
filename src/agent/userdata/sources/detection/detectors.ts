import { textOf } from '../../../../kit/json.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { configuredFor } from './configured.ts';
import type { DatasourceSettings } from './datasource-settings.ts';

/** DMI's sys_vendor is one of these. */
export function hasVendor(
  ...names: readonly string[]
): (machine: PlatformInfo) => Promise<string | undefined> {
  return async ({ dmi }) =>
    names.includes(dmi('sys_vendor')) ? `sys_vendor is ${dmi('sys_vendor')}` : undefined;
}

/** A word of the kernel command line, or a file of the image, says it where DMI does not. */
export async function wordOrFile(
  machine: PlatformInfo,
  word: string,
  path: string,
): Promise<string | undefined> {
  if (machine.kernelLine.includes(word)) return `${word} on the kernel command line`;
  return (await machine.has(path)) ? `${path} is there` : undefined;
}

/** MAAS is a matter of the image's configuration, or of a seed in it. */
export async function seedOrMetadataUrl(
  machine: PlatformInfo,
  settings: DatasourceSettings,
): Promise<string | undefined> {
  if (await machine.has('/var/lib/cloud/seed/maas/meta-data')) return 'the seed /var/lib/cloud/seed/maas';
  const { metadata_url } = configuredFor(settings, 'MAAS');
  return textOf(metadata_url) === undefined ? undefined : 'datasource.MAAS.metadata_url in the configuration';
}

/** `datasource: {Ec2: {strict_id: false}}` lets any machine ask, as Tinkerbell's do. */
export function isLenient(strictId: unknown): boolean {
  return strictId === false || /^(?:false|warn)/.test(String(strictId ?? ''));
}

/** A container of Nova has its product name in the environment of its first process. */
export async function isNovaContainer({ host }: PlatformInfo): Promise<string | undefined> {
  const bytes = await host.files.readIfPresent('/proc/1/environ').catch(() => undefined);
  const isSo = bytes?.toString('latin1').split('\0').includes('product_name=OpenStack Nova');
  return isSo ? 'the first process has product_name=OpenStack Nova' : undefined;
}
