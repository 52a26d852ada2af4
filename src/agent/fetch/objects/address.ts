/** An object of a store, as Ignition's sources name it. */
export type ObjectAddress =
  | {
      store: 's3';
      bucket: string;
      key: string;
      version?: string;
      partition: Partition;
      accessPoint?: AccessPoint;
    }
  | { store: 'gs'; bucket: string; key: string };

/** A partition of AWS: its domain, and a region that is in it. */
interface Partition {
  domain: string;
  region: string;
}

interface AccessPoint {
  name: string;
  account: string;
  region: string;
}

const DOTS = 'has "." or ".." in its key';
const AWS: Partition = { domain: 'amazonaws.com', region: 'us-east-1' };
const PARTITIONS: Readonly<Record<string, Partition>> = {
  aws: AWS,
  'aws-cn': { domain: 'amazonaws.com.cn', region: 'cn-north-1' },
  'aws-us-gov': { domain: 'amazonaws.com', region: 'us-gov-west-1' },
};
/** What may stand in a host name: nothing of an address may lead to another server. */
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,221}$/;
const LABEL = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Is it `s3:`, `gs:` or the ARN of an object? `readObjectAddress` says whether it can be fetched. */
export function isObjectAddress(url: string): boolean {
  return /^(?:s3|gs|arn):/i.test(url);
}

/** @returns why it names no object, in words */
export function readObjectAddress(url: string): ObjectAddress | { problem: string } {
  // A web address cannot name those; it would lead to another object.
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:$|[/?#])/i.test(url)) return { problem: DOTS };
  const found = /^(s3|gs):\/\/([^/?#]*)\/+([^?#]+)(?:\?([^#]*))?/i.exec(url);
  if (found) {
    const [, scheme = '', bucket = '', path = '', query] = found;
    const key = unescaped(path);
    if (!BUCKET.test(bucket)) return { problem: 'has no bucket' };
    if (key === undefined) return { problem: 'has an invalid escape (%)' };
    if (/(?:^|\/)\.{1,2}(?:$|\/)/.test(key)) return { problem: DOTS };
    if (scheme.toLowerCase() === 'gs') return { store: 'gs', bucket, key };
    return { store: 's3', bucket, key, partition: AWS, ...versionOf(query) };
  }
  const arn = /^arn:([^:/?#]*):s3:([^:/?#]*):([^:/?#]*):([^?#]+)(?:\?([^#]*))?/i.exec(url);
  if (!arn) return { problem: 'has no object key' };
  const [, name = '', region = '', account = '', resource = '', query] = arn;
  const partition = (Object.hasOwn(PARTITIONS, name) ? PARTITIONS[name] : undefined) ?? AWS;
  const version = versionOf(query);
  const point = /^accesspoint\/([^/]+)\/object\/(.+)$/.exec(resource);
  if (point) {
    const [, access = '', key = ''] = point;
    if (![access, account, region].every((part) => LABEL.test(part)))
      return { problem: 'has no access point' };
    const accessPoint = { name: access, account, region };
    return { store: 's3', bucket: access, key, partition, accessPoint, ...version };
  }
  const [bucket = '', ...rest] = resource.split('/');
  const key = rest.join('/');
  if (!BUCKET.test(bucket) || key === '') return { problem: 'has no object key' };
  return { store: 's3', bucket, key, partition, ...version };
}

function versionOf(query = ''): { version?: string } {
  const version = new URLSearchParams(query).get('versionId') ?? '';
  return version === '' ? {} : { version };
}

function unescaped(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
