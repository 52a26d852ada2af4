import { asRecord, at, type JsonRecord, textOf, textsOf } from '../../../../kit/json.ts';
import type { Cloud, NetworkConfig } from '../../../platform/instance/instance.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import type { Found } from '../contract/answer.ts';
import type { Tree } from '../contract/tree.ts';

/** The versions of the format that cloud-init knows (`OS_VERSIONS`), newest first. */
const VERSIONS = [
  ...['2018-08-27', '2017-02-22', '2016-10-06', '2016-06-30', '2015-10-15'],
  ...['2013-10-17', '2013-04-04', '2012-08-10'],
];

/** What OpenStack's format holds, on a config drive or behind the metadata service. */
export type OpenStackData = Pick<Found, 'userData' | 'metaData' | 'ds' | 'vendorData' | 'networkConfig'> & {
  cloud: Omit<Cloud, 'name' | 'platform' | 'subplatform'>;
};

/**
 * Reads `openstack/VERSION/{meta_data.json,user_data,vendor_data.json,vendor_data2.json,network_data.json}`, by the newest
 * version that both sides know, else by `latest`.
 *
 * @returns undefined if there is no meta_data.json
 * @throws SourceError if the metadata is damaged
 */
export async function readOpenStack(tree: Tree): Promise<OpenStackData | undefined> {
  const offered = await tree.list('openstack');
  const version = VERSIONS.find((each) => offered.includes(each)) ?? 'latest';
  const json = async (path: string): Promise<unknown> => parse(await tree.read(path), path, tree.place);
  const given = asRecord(await json(`openstack/${version}/meta_data.json`));
  if (given === undefined) return undefined;
  const metaData = openStackNames(given);
  if (textOf(metaData['instance-id']) === undefined)
    throw new SourceError('refused', `meta_data.json of ${tree.place} has no uuid.`);
  const networkPath = `openstack/${version}/network_data.json`;
  const networkText = await tree.read(networkPath);
  const network = parse(networkText, networkPath, tree.place);
  const vendorData = bothVendors(
    vendorText(await json(`openstack/${version}/vendor_data.json`)),
    vendorText(await json(`openstack/${version}/vendor_data2.json`)),
  );
  const ec2 = asRecord(await json('ec2/latest/meta-data.json'));
  const zone = textOf(given.availability_zone);
  return {
    userData: (await tree.read(`openstack/${version}/user_data`)) ?? Buffer.alloc(0),
    metaData,
    ds: { meta_data: metaData, network_json: network ?? null, ec2_metadata: ec2 ?? {} },
    ...(vendorData === undefined ? {} : { vendorData: Buffer.from(vendorData) }),
    ...(networkText === undefined ? {} : { networkConfig: networkConfig(networkText, tree.place) }),
    cloud: {
      ...(zone === undefined ? {} : { zone }),
      addresses: textsOf(list(at(network, 'networks')).map((entry) => at(entry, 'ip_address'))),
      publicKeys: textsOf(given.public_keys),
    },
  };
}

/** cloud-init's own names beside OpenStack's (`KEY_COPIES`). The seed of the random generator is nobody's business. */
export function openStackNames({ random_seed: _seed, ...given }: JsonRecord): JsonRecord {
  const copies = { 'local-hostname': given.hostname, 'instance-id': given.uuid };
  const known = Object.entries(copies).filter(([, value]) => value !== undefined);
  return { ...given, ...Object.fromEntries(known) };
}

/** Vendor data is text, or under the key `cloud-init`; others' JSON is not for us. */
function vendorText(value: unknown): string | undefined {
  return typeof value === 'string'
    ? textOf(value)
    : typeof at(value, 'cloud-init') === 'string'
      ? textOf(at(value, 'cloud-init'))
      : undefined;
}

/** Those of vendor_data2.json, which a service of the cloud makes for the machine, count over the fixed ones. */
function bothVendors(fixed: string | undefined, made: string | undefined): string | undefined {
  if (fixed === undefined || made === undefined) return made ?? fixed;
  return `#cloud-config-archive\n${JSON.stringify([fixed, made])}`;
}

function networkConfig(bytes: Buffer, place: string): NetworkConfig {
  return { format: 'openstack', text: bytes.toString('utf8'), place: `network_data.json of ${place}` };
}

function parse(bytes: Buffer | undefined, path: string, place: string): unknown {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // A service that is cut off says so by itself; a file stays as it is.
    throw new SourceError('refused', `${path} of ${place} is not JSON.`);
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const NAMES = ['OpenStack Nova', 'OpenStack Compute'];
const ASSET_TAGS = [...NAMES, 'OpenTelekomCloud', 'SAP CCloud VM', 'HUAWEICLOUD', 'Samsung Cloud Platform'];

/** How DMI names OpenStack's compute service, as ds-identify has it; undefined if it does not. */
export function isNova({ dmi }: Pick<PlatformInfo, 'dmi'>): string | undefined {
  if (NAMES.includes(dmi('product_name'))) return `product_name is ${dmi('product_name')}`;
  const tag = dmi('chassis_asset_tag');
  return ASSET_TAGS.includes(tag) ? `chassis_asset_tag is ${tag}` : undefined;
}
