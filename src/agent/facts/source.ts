import { INSTANCE_FILE } from '../document/paths.ts';
import type { FactReader } from './reading/fact-reader.ts';
import type { SourceFacts } from './reading/facts.ts';
import { omitUndefined } from './reading/omit-undefined.ts';

/** What cloud-init leaves for everybody to read, without secrets. */
const CLOUD_INIT = '/run/cloud-init/instance-data.json';
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * What the source of user data said of this machine: kept by the bootstrap, or by cloud-init. The metadata service itself is
 * not asked again; nobody has asked for that connection.
 */
export async function readSourceFacts(reader: FactReader): Promise<SourceFacts> {
  const own = await json(reader, INSTANCE_FILE);
  if (own !== undefined) {
    const field = (name: keyof SourceFacts, key: string = name) =>
      text(reader, name, INSTANCE_FILE, own[key]);
    return omitUndefined({
      name: field('name', 'source'),
      instanceId: field('instanceId', 'id'),
      instanceType: field('instanceType'),
      region: field('region'),
      zone: field('zone'),
      providerId: field('providerId'),
    });
  }
  const data = await json(reader, CLOUD_INIT);
  if (data === undefined) return {};
  const v1 = record(data.v1);
  const meta = record(record(data.ds).meta_data);
  const compute = record(record(meta.imds).compute);
  const field = (name: keyof SourceFacts, ...values: unknown[]) =>
    text(
      reader,
      name,
      CLOUD_INIT,
      values.find((value) => typeof value === 'string' && value !== ''),
    );
  return omitUndefined({
    name: field('name', v1.platform, v1.cloud_name),
    instanceId: field('instanceId', v1.instance_id),
    instanceType: field('instanceType', meta['instance-type'], compute.vmSize),
    region: field('region', v1.region),
    zone: field('zone', v1.availability_zone),
  });
}

async function json(reader: FactReader, path: string): Promise<Record<string, unknown> | undefined> {
  const bytes = await reader.bytes('source', path, MOST_BYTES);
  if (bytes === undefined) return undefined;
  try {
    return record(JSON.parse(bytes.toString('utf8')));
  } catch {
    reader.remark('source', path, 'it is no JSON');
    return undefined;
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(reader: FactReader, name: string, path: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return reader.clean(`source.${name}`, path, Buffer.from(value));
}
