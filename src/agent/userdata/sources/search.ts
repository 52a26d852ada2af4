import { type Host, HostError } from '../../host/host.ts';
import type { NetworkConfig } from '../../platform/instance/instance.ts';
import { readOsFacts } from '../../platform/instance/read-os-facts.ts';
import { SourceError } from '../../platform/metadata/source-error.ts';
import { readPlatformInfo } from '../../platform/platform-info.ts';
import { type Found, foundIn, type SourceAnswer } from './contract/answer.ts';
import { type DatasourceSettings, readDatasourceSettings } from './detection/datasource-settings.ts';
import type { SourceContext, SourceRow } from './detection/source.ts';
import { SOURCES_FILE } from './detection/sources-file.ts';
import { SOURCES } from './source-table.ts';

/** How long one request may be tried for before the answer is "not yet". */
const PATIENCE_MS = 20_000;

export interface SearchOptions {
  /** Ask this source and no other, whatever the machine shows. */
  source?: string;
  patienceMs?: number;
  /** Gets a network configuration that lies on the machine, before anybody is asked over the network. */
  offerNetwork?(config: NetworkConfig): void;
  /** Says why nothing is to be taken of what a volume has a part in: then the other sources are asked. */
  refuse?(found: Found): Promise<unknown>;
}

/**
 * Asks the sources that this machine shows to be its own, one after the other, until one is. What decides it is the
 * machine (DMI, labels, devices, the kernel command line) and its configuration; nobody is asked over the network to find out
 * whether he is there.
 *
 * @throws HostError if a source is there but unreadable, `source` is the name of none, or /etc/slipway/sources.yaml is wrong (EINVAL)
 */
export async function search(host: Host, options: SearchOptions): Promise<SourceAnswer> {
  const machine = await readPlatformInfo(host);
  const settings = await readDatasourceSettings(machine);
  const { rows, how, looked } = chosen(settings, options.source);
  const told = [...looked];
  const other = metadataRow(settings);
  let strange: SourceAnswer | undefined;
  for (const row of rows) {
    const sign = how ?? (row.recognise === undefined ? undefined : await row.recognise(machine, settings));
    if (sign === undefined && row.recognise !== undefined) continue;
    const { patienceMs = PATIENCE_MS, offerNetwork = () => undefined, refuse } = options;
    const ask = { machine, settings, patienceMs, offerNetwork, ...(refuse ? { refuse } : {}) };
    const answer = await asked(row, { ...ask, isChosen: how !== undefined });
    const given = foundIn(answer);
    if (given?.fromVolume && (await refuse?.(given))) {
      strange ??= answer;
      continue;
    }
    if (answer.kind === 'found') {
      const known = {
        ...answer,
        ...(sign === undefined ? {} : { recognised: sign }),
        system: await readOsFacts(host),
      };
      return other === undefined || other === row ? known : withOther(known, other, ask);
    }
    if (answer.kind !== 'not-mine') return answer;
    told.push(...(answer.looked ?? [`${row.name}: nothing there`]));
  }
  return strange ?? { kind: 'not-mine', looked: [...told, shown(machine.dmi)] };
}

/** @throws HostError EINVAL if it is the name of no source */
function metadataRow({ metadata }: DatasourceSettings): SourceRow | undefined {
  if (metadata === undefined) return undefined;
  const row = SOURCES.find((one) => isNamed(one, metadata));
  if (row === undefined)
    throw new HostError(
      `${SOURCES_FILE}: metadata: ${JSON.stringify(metadata)} is not a source; ${NAMES}.`,
      'EINVAL',
      SOURCES_FILE,
    );
  return row;
}

async function withOther(
  first: Found,
  row: SourceRow,
  ask: Omit<SourceContext, 'isChosen'>,
): Promise<SourceAnswer> {
  // A server is asked by the network that came with the user data.
  if (first.networkConfig) ask.offerNetwork(first.networkConfig);
  const { mergeMetadata } = await import('./merge-metadata.ts');
  return mergeMetadata(first, await asked(row, { ...ask, isChosen: true }), row.name);
}

const NAMES = `the sources are: ${SOURCES.map(({ name }) => name).join(', ')}`;

function shown(dmi: (field: 'sys_vendor' | 'product_name' | 'chassis_asset_tag') => string): string {
  const fields = (['sys_vendor', 'product_name', 'chassis_asset_tag'] as const).filter(
    (field) => dmi(field) !== '',
  );
  if (fields.length === 0) return 'DMI shows no cloud';
  return `DMI shows no known cloud: ${fields.map((field) => `${field} "${dmi(field)}"`).join(', ')}`;
}

/** All sources in their order, or those that somebody named. A single one needs no sign of its own. */
function chosen(
  settings: DatasourceSettings,
  named: string | undefined,
): { rows: readonly SourceRow[]; how?: string; looked: string[] } {
  if (named !== undefined) {
    const rows = SOURCES.filter((row) => isNamed(row, named));
    if (rows.length > 0) return { rows, how: `--source ${named}`, looked: [] };
    throw new HostError(`Unknown source ${JSON.stringify(named)}; ${NAMES}.`, 'EINVAL');
  }
  const { list, from = '' } = settings;
  if (list === undefined) return { rows: SOURCES, looked: [] };
  const names = list.filter((name) => name !== 'None');
  const rows = names.flatMap((name) => SOURCES.find((row) => isNamed(row, name)) ?? []);
  const unknown = names.filter((name) => !SOURCES.some((row) => isNamed(row, name)));
  const looked =
    unknown.length === 0 ? [] : [`${from} names ${unknown.join(', ')}, which Slipway does not know`];
  return names.length === 1 ? { rows, how: from, looked } : { rows, looked };
}

function isNamed({ name, datasource }: SourceRow, given: string): boolean {
  return [name, datasource?.toLowerCase()].includes(given.toLowerCase());
}

async function asked(row: SourceRow, context: SourceContext): Promise<SourceAnswer> {
  try {
    return await (await row.load())(context);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { kind: error.kind, source: row.name, reason: error.message };
  }
}
