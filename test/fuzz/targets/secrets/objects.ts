import { FetchError, fetchBytes } from '../../../../src/agent/fetch/fetch.ts';
import { isObjectAddress } from '../../../../src/agent/fetch/objects/address.ts';
import { sensitive } from '../../../../src/secrets/sensitive.ts';
import { memoryHost } from '../../memory-host.ts';
import { must, type Target } from '../../target.ts';

const METADATA = /^http:\/\/(?:169\.254\.169\.254|\[fd00:ec2::254\])\//;
/** Nothing before the clouds' own names but labels, which no bucket can end. */
const STORES =
  /^https:\/\/(?:[a-z0-9-]+\.)*(?:amazonaws\.com(?:\.cn)?|storage\.googleapis\.com)\/[^?#]*(?:\?[^#]*)?$/;
const KEY = 's3cr3t-of-the-case';

/** What may stand for an object of a store: nobody but the clouds is asked for it, and the key is told to nobody. */
export const objectAddresses: Target = {
  name: 'object-addresses',
  corpus: () =>
    [
      's3://bucket/key?versionId=1',
      's3://with.dots/a/b',
      'arn:aws:s3:::bucket/key',
      'arn:aws-cn:s3:us-west-2:123456789012:accesspoint/mine/object/a',
      'gs://bucket/a/b',
    ].map((text) => Buffer.from(text)),
  dictionary: [
    'arn:',
    ':s3:',
    'accesspoint/',
    '/object/',
    '%2e%2e/',
    '..',
    '@',
    '#',
    '?versionId=',
    ':443',
    '\\',
  ],
  async run(bytes) {
    const address = bytes.toString('utf8');
    if (!isObjectAddress(address)) return 'none';
    const answers: Record<string, string> = {
      '/latest/api/token': 't',
      '/latest/meta-data/placement/region': 'eu-west-1',
      '/latest/meta-data/iam/security-credentials/': 'role',
      '/latest/meta-data/iam/security-credentials/role': JSON.stringify({
        AccessKeyId: 'a',
        SecretAccessKey: KEY,
      }),
    };
    const host = memoryHost({ '/sys/class/dmi/id/product_name': 'Google' }, (url) => {
      must(METADATA.test(url) || STORES.test(url), `nobody else is asked: ${url}`);
      must(!url.includes(KEY), 'no address holds the key');
      const body = METADATA.test(url) ? answers[new URL(url).pathname] : 'x';
      if (url.includes('computeMetadata')) return { status: 200, body: '{"access_token": "t"}' };
      return { status: body === undefined ? 404 : 200, body: body ?? '' };
    });
    try {
      const remote = { url: sensitive(address), headers: [], isCompressed: false };
      return (await fetchBytes(host, remote, { authorities: [] }, 100)).length;
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      must(!error.message.includes(KEY), 'a message holds no key');
      return error.refused;
    }
  },
};
