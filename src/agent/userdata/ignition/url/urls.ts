import { dataOf } from '../../../../kit/bytes/data-url.ts';

/** What Go's net/url makes of a URL, as far as Ignition asks for it. */
interface GoUrl {
  /** In lower case; empty for a reference without one. */
  scheme: string;
  /** What stands behind the scheme where no slash follows it, without the query. */
  opaque: string;
  host: string;
  /** The path with its escapes undone. */
  path: string;
  query: string;
}

const CONTROL = /\p{Cc}/u;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
/** In a host, an escape may only stand for a byte above ASCII, or for "%" itself. */
const BAD_HOST = /%(?![89a-fA-F][0-9a-fA-F]|25)|[\\^`{|}/?@# ]/;
const USER_INFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

/** Reads a URL as net/url's Parse does. @returns undefined where that gives an error */
export function parseGoUrl(text: string): GoUrl | undefined {
  const [whole = '', fragment = ''] = splitAt(text, '#');
  if (CONTROL.test(text) || BAD_ESCAPE.test(fragment)) return undefined;
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(whole);
  if (!found && whole.startsWith(':')) return undefined;
  const scheme = (found?.[1] ?? '').toLowerCase();
  const [rest = '', query = ''] = splitAt(found ? whole.slice(found[0].length) : whole, '?');
  const empty = { scheme, opaque: '', host: '', path: '', query };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...empty, opaque: rest };
    return (rest.split('/', 1)[0] ?? '').includes(':') || BAD_ESCAPE.test(rest)
      ? undefined
      : { ...empty, path: rest };
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  const end = hasAuthority ? nextSlash(rest) : 0;
  const authority = hasAuthority ? rest.slice(2, end) : '';
  const path = rest.slice(end);
  if (BAD_ESCAPE.test(path)) return undefined;
  const host = hostOf(authority);
  return host === undefined ? undefined : { ...empty, host, path: unescaped(path) };
}

function nextSlash(rest: string): number {
  const at = rest.indexOf('/', 2);
  return at < 0 ? rest.length : at;
}

function hostOf(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : authority.slice(0, at);
  const host = authority.slice(at + 1);
  if (!USER_INFO.test(user) || BAD_ESCAPE.test(user)) return undefined;
  if (host.startsWith('[')) {
    const close = host.lastIndexOf(']');
    return close >= 0 && isPort(host.slice(close + 1)) ? host : undefined;
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !isPort(host.slice(colon))) return undefined;
  return BAD_HOST.test(host) ? undefined : host;
}

function isPort(text: string): boolean {
  return /^(?::[0-9]*)?$/.test(text);
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function unescaped(path: string): string {
  const bytes = path.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /[\u0080-\u00ff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}

/** Which sources a spec knows. */
export interface Schemes {
  plain: readonly string[];
  /** Knows ARNs and versions of S3 objects. */
  arn: boolean;
}

/** What keeps a URL from being a source, in words; undefined if nothing does. */
export function urlProblem(text: string, { plain, arn }: Schemes): string | undefined {
  const url = parseGoUrl(text);
  if (url === undefined) return 'is not a valid URL';
  if (url.scheme === 'data') return dataOf(text) === undefined ? 'is not a valid data: URL' : undefined;
  if (url.scheme === 'arn' && arn) return arnProblem(url) ?? versionProblem(url);
  if (url.scheme === 's3')
    return arn || plain.includes('s3') ? versionProblem(url) : schemeProblem(url, plain, arn);
  return plain.includes(url.scheme) ? undefined : schemeProblem(url, plain, arn);
}

function schemeProblem({ scheme }: GoUrl, plain: readonly string[], arn: boolean): string {
  const known = [...new Set(['data', ...plain, ...(arn ? ['arn', 's3'] : [])])].map((name) => `${name}:`);
  return `has ${scheme === '' ? 'no scheme' : 'a scheme that this spec does not support'}; it must be one of ${known.join(', ')}`;
}

function arnProblem({ opaque }: GoUrl): string | undefined {
  const parts = `arn:${opaque}`.split(':');
  const resource = parts.slice(5).join(':');
  const slashes = opaque.split('/').length - 1;
  const isWhole =
    parts.length >= 6 && parts[2] === 's3' && slashes >= (resource.startsWith('accesspoint/') ? 2 : 1);
  return isWhole ? undefined : 'is not the ARN of an S3 object';
}

function versionProblem({ query }: GoUrl): string | undefined {
  const version = new URLSearchParams(query).get('versionId');
  return version === '' ? 'has an empty versionId' : undefined;
}
