import { asRecord, at, type JsonRecord, omitUndefined, textOf, textsOf } from '../../../../kit/json.ts';
import { ec2Platform } from '../../../platform/ec2-platform.ts';
import { crawl } from '../../../platform/metadata/crawl.ts';
import { EC2_BASES, type ReadEc2Path, withEc2Token } from '../../../platform/metadata/ec2-token.ts';
import { MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { configuredBases } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';

/** Newest first; what IPv6 and tags need, then what everybody has (`DataSourceEc2`). */
const VERSIONS = ['2021-03-23', '2018-09-24', '2016-09-02'];
const OLDEST = '2009-04-04';

/** EC2's metadata service, version 2 on AWS; and its kin, which know no tokens: Outscale, Tinkerbell's Hegel ... */
export async function readEc2({ machine, settings, patienceMs }: SourceContext): Promise<SourceAnswer> {
  const platform = await ec2Platform(machine);
  const called = `the metadata service of EC2${machine.isContainer ? ' (in a container it needs a hop limit above 1)' : ''}`;
  const client = new MetadataClient(machine.host, {
    bases: configuredBases(settings, 'Ec2') ?? EC2_BASES,
    patienceMs,
    called,
  });
  try {
    const service = platform === 'aws' ? await withEc2Token(client) : plain(client);
    const version = await bestVersion(service);
    const metaData = await crawl((path) => service(`/${version}/meta-data/${path}`));
    if (textOf(metaData?.['instance-id']) === undefined || metaData === undefined)
      throw new SourceError(
        'not-yet',
        `The metadata service of EC2 at ${client.base} has no instance-id yet.`,
      );
    const document = await identity(service, version);
    const userData = await service(`/${version}/user-data`);
    return found({
      source: `ec2 (${client.base})`,
      userData: Buffer.from(userData ?? '', 'latin1'),
      metaData: { ...metaData, 'instance-id': textOf(document?.instanceId) ?? metaData['instance-id'] },
      ds: {
        'meta-data': metaData,
        ...(document === undefined ? {} : { dynamic: { 'instance-identity': { document } } }),
        _metadata_api_version: version,
      },
      cloud: {
        name: platform ?? 'unknown',
        platform: 'ec2',
        subplatform: `metadata (${client.base})`,
        ...placed(metaData, document, platform),
      },
    });
  } finally {
    client.close();
  }
}

function plain(client: MetadataClient): ReadEc2Path {
  return async (path) => (await client.bytes(path))?.toString('latin1');
}

async function bestVersion(service: ReadEc2Path): Promise<string> {
  for (const version of VERSIONS)
    if ((await service(`/${version}/meta-data/instance-id`)) !== undefined) return version;
  return OLDEST;
}

async function identity(service: ReadEc2Path, version: string): Promise<JsonRecord | undefined> {
  const text = await service(`/${version}/dynamic/instance-identity/document`);
  try {
    return text === undefined ? undefined : asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function placed(metaData: JsonRecord, document: JsonRecord | undefined, platform: string | undefined) {
  const zone = textOf(at(metaData, 'placement', 'availability-zone'));
  const region =
    textOf(document?.region) ?? textOf(at(metaData, 'placement', 'region')) ?? zone?.slice(0, -1);
  const id = textOf(metaData['instance-id']);
  // Others that speak the protocol have provider ids of their own.
  const isAwsLike = platform === 'aws' || platform === 'outscale';
  return {
    ...(isAwsLike && id !== undefined ? { providerId: `aws:///${zone ?? ''}/${id}` } : {}),
    ...omitUndefined({ region, zone }),
    addresses: [metaData['local-ipv4'], metaData['public-ipv4'], metaData.ipv6].flatMap(
      (value) => textOf(value) ?? [],
    ),
    publicKeys: textsOf(Object.values(asRecord(metaData['public-keys']) ?? {}).flat()),
  };
}
