import { dataOf } from '../../../../kit/bytes/data-url.ts';
import { type GoUrl, parseGoUrl } from './go-url.ts';

/** Which sources a spec knows. */
export interface Schemes {
  plain: readonly string[];
  /** Knows ARNs and versions of S3 objects. */
  arn: boolean;
}

/** What keeps a URL from being a source, in words; undefined if nothing does. */
export function urlProblem(text: string, { plain, arn }: Schemes): string | undefined {
  const url = parseGoUrl(text);
  if (url === undefined) return 'is no URL that can be read';
  if (url.scheme === 'data')
    return dataOf(text) === undefined ? 'is no data: URL that can be read' : undefined;
  if (url.scheme === 'arn' && arn) return arnProblem(url) ?? versionProblem(url);
  if (url.scheme === 's3')
    return arn || plain.includes('s3') ? versionProblem(url) : schemeProblem(url, plain, arn);
  return plain.includes(url.scheme) ? undefined : schemeProblem(url, plain, arn);
}

function schemeProblem({ scheme }: GoUrl, plain: readonly string[], arn: boolean): string {
  const known = [...new Set(['data', ...plain, ...(arn ? ['arn', 's3'] : [])])].map((name) => `${name}:`);
  return `has ${scheme === '' ? 'no scheme' : 'a scheme that this spec does not know'}; it knows ${known.join(', ')}`;
}

function arnProblem({ opaque }: GoUrl): string | undefined {
  const parts = `arn:${opaque}`.split(':');
  const resource = parts.slice(5).join(':');
  const slashes = opaque.split('/').length - 1;
  const isWhole =
    parts.length >= 6 && parts[2] === 's3' && slashes >= (resource.startsWith('accesspoint/') ? 2 : 1);
  return isWhole ? undefined : 'is no ARN of an S3 object';
}

function versionProblem({ query }: GoUrl): string | undefined {
  const version = new URLSearchParams(query).get('versionId');
  return version === '' ? 'names an empty versionId' : undefined;
}
