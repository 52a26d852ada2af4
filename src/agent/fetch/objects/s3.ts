import { createHash } from 'node:crypto';
import { type Host, HostError } from '../../host/host.ts';
import {
  type AwsCredentials,
  encodeRfc3986,
  signedHeaders,
} from '../../platform/credentials/aws-signature.ts';
import { instanceRole } from '../../platform/credentials/instance-role.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import { ec2Platform } from '../../platform/ec2-platform.ts';
import { readPlatformInfo } from '../../platform/platform-info.ts';
import type { ObjectAddress } from './address.ts';
import type { ObjectRequest, StoreAccess } from './object-request.ts';

type S3Object = Extract<ObjectAddress, { store: 's3' }>;

const ASK_MS = 20_000;
/** How long a machine that shows no sign of EC2 waits for its metadata service. */
const ELSEWHERE_MS = 3_000;
const REGION = /^[a-z0-9-]+$/;
/** A name with a dot is not covered by the wildcard of S3's certificate. */
const IN_HOST = /^[a-z0-9-]{3,63}$/;

/**
 * An object of S3, in the region of its bucket, signed with the role of this instance; where it has none, it is asked for as
 * anybody would.
 *
 * @throws HostError where S3 does not answer
 */
export async function locateS3(
  asking: StoreAccess,
  object: S3Object,
): Promise<ObjectRequest | { problem: string }> {
  const own = await ownOf(asking.host);
  const region = object.accessPoint?.region ?? (await regionOf(asking, object, own));
  if (region === undefined) return { problem: `names a bucket that does not exist (${object.bucket})` };
  const url = urlOf(object, region);
  if (!('credentials' in own)) return { url, headers: {}, anonymous: own.none };
  return { url, headers: signed('GET', url, region, own.credentials, asking) };
}

type Own = { region?: string } & (
  | { credentials: AwsCredentials }
  | { none: { why: string; mayPass: boolean } }
);

/** Machines that have found no metadata service where none was to be expected: they ask no second time. */
const elsewhere = new WeakMap<Host, Own>();

async function ownOf(host: Host): Promise<Own> {
  if ((await ec2Platform(await readPlatformInfo(host))) !== undefined) return roleOf(host);
  const known = elsewhere.get(host);
  if (known) return known;
  const own = await roleOf(host, ELSEWHERE_MS);
  if ('credentials' in own) return own;
  const lasting: Own = { none: { why: `${own.none.why}; nothing shows that this is EC2`, mayPass: false } };
  elsewhere.set(host, lasting);
  return lasting;
}

async function roleOf(host: Host, patienceMs?: number): Promise<Own> {
  const role = instanceRole(host, patienceMs);
  try {
    const credentials = await role.credentials();
    return { credentials, region: await role.region() };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    return { none: { why: error.message, mayPass: error.code === 'SecretStoreUnreachable' } };
  } finally {
    role.close();
  }
}

/** S3 says where a bucket is whatever it thinks of who asks, but not of an address in the wrong region. */
async function regionOf(
  asking: StoreAccess,
  { bucket, partition }: S3Object,
  own: Own,
): Promise<string | undefined> {
  const asked = own.region ?? partition.region;
  const url = new URL(`${originOf(bucket, asked, partition.domain)}/`);
  const { status, headers } = await asking.client.send({
    method: 'HEAD',
    url: url.href,
    headers: 'credentials' in own ? signed('HEAD', url, asked, own.credentials, asking) : {},
    timeoutMs: ASK_MS,
    ...(asking.signal ? { signal: asking.signal } : {}),
  });
  if (status >= 500 || status === 429)
    throw new HostError(`${url.host} returned status ${status} when asked for the bucket's region`, 'EAGAIN');
  const told = headers['x-amz-bucket-region'];
  if (told !== undefined && REGION.test(told)) return told;
  return status === 404 ? undefined : asked;
}

/** Both IPv4 and IPv6, as Ignition asks. */
function originOf(bucket: string, region: string, domain: string): string {
  const server = `s3.dualstack.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : domain}`;
  return IN_HOST.test(bucket) ? `https://${bucket}.${server}` : `https://${server}/${bucket}`;
}

function urlOf({ bucket, key, version, partition, accessPoint }: S3Object, region: string): URL {
  const origin = accessPoint
    ? `https://${accessPoint.name}-${accessPoint.account}.s3-accesspoint.dualstack.${region}.${partition.domain}`
    : originOf(bucket, region, partition.domain);
  const path = key.split('/').map(encodeRfc3986).join('/');
  return new URL(`${origin}/${path}${version === undefined ? '' : `?versionId=${encodeRfc3986(version)}`}`);
}

function signed(
  method: 'GET' | 'HEAD',
  url: URL,
  region: string,
  credentials: AwsCredentials,
  { host }: StoreAccess,
): Record<string, string> {
  const body = new Uint8Array();
  const headers = { 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') };
  const now = host.clock.now();
  const { host: _, ...all } = signedHeaders({
    ...{ method, url, headers, body, region, service: 's3', credentials, now },
  });
  return all;
}
