import { asRecord, type JsonRecord } from '../../../../kit/json.ts';
import type { Host } from '../../../host/host.ts';
import { configFile } from '../../../platform/instance/config-file.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { Diagnostics } from '../../../text/diagnostics.ts';
import { plainText } from '../../../text/source-text.ts';
import { parseYaml } from '../../../text/yaml/parse.ts';
import { plainValue } from '../../../text/yaml/plain-value.ts';
import { readSourcesFile, SOURCES_FILE } from './sources-file.ts';

/** What the image, the operator and the kernel command line say about where user data is. */
export interface DatasourceSettings {
  /** Names of cloud-init's datasources, or Slipway's of a source, in the order in which they count. */
  list?: readonly string[];
  /** The file, or the word of the kernel command line, that names them. */
  from?: string;
  /** The source that tells of the instance, whichever gives the user data. Of Slipway's own file alone. */
  metadata?: string;
  /** A source's own settings by cloud-init's name, e.g. `{Ec2: {metadata_urls: [...]}}`. */
  datasource: JsonRecord;
}

/**
 * Reads `datasource_list` and `datasource` as cloud-init does: cloud.cfg, then cloud.cfg.d/*.cfg in the order of their
 * names; then ds-identify.cfg, /etc/slipway/sources.yaml, and `ci.ds=` or `ds=` on the kernel command line.
 *
 * @throws HostError EINVAL if Slipway's own file is not understood
 */
export async function readDatasourceSettings({
  host,
  kernelLine,
}: PlatformInfo): Promise<DatasourceSettings> {
  const dropIns = (await host.files.list('/etc/cloud/cloud.cfg.d')).filter((name) => name.endsWith('.cfg'));
  const paths = ['/etc/cloud/cloud.cfg', ...dropIns.map((name) => `/etc/cloud/cloud.cfg.d/${name}`)];
  let settings: DatasourceSettings = { datasource: {} };
  for (const path of [...paths, '/etc/cloud/ds-identify.cfg'])
    settings = over(settings, await readFile(host, path), path);
  settings = over(settings, await readSourcesFile(host), SOURCES_FILE);
  const word = kernelLine.findLast(
    (each) => /^(?:ci\.)?(?:ds|datasource)=./.test(each) && !/^datasource=/.test(each),
  );
  const named = word?.slice(word.indexOf('=') + 1).split(';')[0];
  return named === undefined
    ? settings
    : { ...settings, list: [named], from: `${word?.split(';')[0]} on the kernel command line` };
}

function over(
  before: DatasourceSettings,
  { datasource_list, datasource, metadata }: JsonRecord,
  path: string,
): DatasourceSettings {
  // ds-identify.cfg names one datasource where cloud.cfg has a mapping of them.
  const single = typeof datasource === 'string' ? [datasource] : undefined;
  const list = Array.isArray(datasource_list)
    ? datasource_list.filter((name) => typeof name === 'string')
    : single;
  const own = asRecord(datasource) ?? {};
  const merged = { ...before.datasource };
  for (const [name, value] of Object.entries(own))
    merged[name] = { ...asRecord(merged[name]), ...asRecord(value) };
  return {
    ...before,
    datasource: merged,
    ...(list === undefined ? {} : { list, from: path }),
    ...(path === SOURCES_FILE && typeof metadata === 'string' ? { metadata } : {}),
  };
}

/** The file's mapping; empty where it is missing, says nothing of sources or is broken (which cloud-init ignores too). */
async function readFile(host: Host, path: string): Promise<JsonRecord> {
  const text = await configFile(host, path);
  if (!/datasource/.test(text)) return {};
  const root = parseYaml(plainText(text), new Diagnostics());
  return root?.kind === 'mapping' ? (asRecord(plainValue(root)) ?? {}) : {};
}
