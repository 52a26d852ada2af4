import { asRecord, textsOf } from '../../../../kit/json.ts';
import { type Base, basesOf } from '../../../platform/metadata/metadata-client.ts';
import type { DatasourceSettings } from './datasource-settings.ts';

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
