import { type JsonRecord, textOf, textsOf } from '../../../../kit/json.ts';
import { crawl } from '../../../platform/metadata/crawl.ts';
import type { MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import type { Found } from '../contract/answer.ts';

/** What clouds give by EC2's paths under one version, without its tokens. */
interface Ec2Like {
  metaData: JsonRecord;
  userData: Buffer;
  zone?: string;
  addresses: string[];
  publicKeys: string[];
}

/** @throws SourceError not-yet where the tree names no instance */
export async function readEc2Like(client: MetadataClient, version: string): Promise<Ec2Like> {
  const metaData = await crawl((path) => client.text(`/${version}/meta-data/${path}`));
  if (metaData === undefined || textOf(metaData['instance-id']) === undefined)
    throw new SourceError('not-yet', `The metadata service at ${client.base} has no instance ID yet.`);
  const zone = textOf(metaData['availability-zone']);
  const keys = metaData['public-keys'];
  return {
    metaData,
    userData: (await client.bytes(`/${version}/user-data`)) ?? Buffer.alloc(0),
    ...(zone === undefined ? {} : { zone }),
    addresses: textsOf([metaData['local-ipv4'], metaData['public-ipv4']]),
    publicKeys: textsOf(typeof keys === 'object' && keys !== null ? Object.values(keys).flat() : keys),
  };
}

/** Passwords that a service hands out once are left there: nobody needs them on a node. */
export function passwordRemark(place: string): NonNullable<Found['remarks']>[number] {
  const message = `${place} may have a password for this machine, which Slipway does not fetch.`;
  return { severity: 'warning', code: 'UserDataIgnoredKey', message };
}
