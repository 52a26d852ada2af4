import { asRecord, textsOf } from '../../../../kit/json.ts';
import {
  type Base,
  basesOf,
  MetadataClient,
  type MetadataOptions,
} from '../../../platform/metadata/metadata-client.ts';
import type { DatasourceSettings } from './datasource-settings.ts';
import type { SourceContext } from './source.ts';

/** A source's own settings by cloud-init's name of it. */
export function configuredFor({ datasource }: DatasourceSettings, name: string): Record<string, unknown> {
  return asRecord(datasource[name]) ?? {};
}

/** `datasource: {NAME: {metadata_urls: [...]}}` or `metadata_url`, where the configuration has it. */
export function configuredBases(settings: DatasourceSettings, name: string): Base[] | undefined {
  const own = configuredFor(settings, name);
  const urls = [...textsOf(own.metadata_urls), ...textsOf(own.metadata_url)].filter(isHttp);
  return urls.length === 0 ? undefined : basesOf(...urls);
}

export const isHttp = (url: string): boolean => /^https?:\/\//.test(url) && URL.canParse(url);

/** A metadata client for a source: `name` is cloud-init's, whose configuration may name other addresses than `bases`. */
export async function metadataClientFor<T>(
  { machine, settings, patienceMs }: SourceContext,
  name: string,
  options: Omit<MetadataOptions, 'patienceMs' | 'bases'> & { bases: readonly Base[] },
  ask: (client: MetadataClient) => Promise<T>,
): Promise<T> {
  const bases = configuredBases(settings, name) ?? options.bases;
  const client = new MetadataClient(machine.host, { ...options, bases, patienceMs });
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}
