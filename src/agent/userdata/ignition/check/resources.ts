import { isSecretReference, readReference } from '../../../stores/reference/reference.ts';
import type { Config, Resource } from '../schema/spec3.ts';
import { parseGoUrl, type Schemes, urlProblem } from '../url/urls.ts';
import type { Remarks } from './remarks.ts';
import { compressionProblem, hashProblem } from './values.ts';

/** Sources that a minor version of spec 3 knows. */
export function schemesOf(minor: number): Schemes {
  return { plain: ['http', 'https', 'tftp', 's3', ...(minor >= 2 ? ['gs'] : [])], arn: minor >= 4 };
}

/** Everything in `ignition`: references to other configs, authorities, proxies, timeouts. */
export function checkIgnition({ ignition = {} }: Config, minor: number, say: Remarks): void {
  const { config = {}, proxy = {}, security } = ignition;
  for (const reference of config.merge ?? []) checkReference(reference, minor, say, minor >= 1);
  if (config.replace) checkReference(config.replace, minor, say, false);
  for (const authority of security?.tls?.certificateAuthorities ?? [])
    checkReference(authority, minor, say, true);
  checkProxy(proxy, 'httpProxy', say);
  checkProxy(proxy, 'httpsProxy', say);
}

function checkReference(reference: Resource, minor: number, say: Remarks, needed: boolean): void {
  if (needed && !reference.source) say.error(reference, ['source'], 'is missing');
  checkResource(reference, minor, say);
}

type Proxy = NonNullable<NonNullable<Config['ignition']>['proxy']>;

function checkProxy(proxy: Proxy, key: 'httpProxy' | 'httpsProxy', say: Remarks): void {
  const text = proxy[key];
  if (text === undefined) return;
  const url = parseGoUrl(text);
  if (url === undefined) say.error(proxy, [key], 'is not a valid URL');
  else if (url.scheme !== 'http' && url.scheme !== 'https')
    say.error(proxy, [key], 'must begin with http: or https:');
  else if (url.scheme === 'http' && key === 'httpsProxy') {
    say.warn(proxy, [key], 'names a proxy that is contacted for https: without TLS');
  }
}

/** @param isFile It is the content of a file, which may be a reference to a secret too: Slipway's own, Ignition knows none. */
export function checkResource(resource: Resource, minor: number, say: Remarks, isFile = false): void {
  const { compression, verification = {}, source, httpHeaders = [] } = resource;
  say.error(resource, ['compression'], compressionProblem(compression));
  if (verification.hash !== undefined && source === undefined)
    say.error(resource, ['verification', 'hash'], 'is set, but source is missing, so nothing is verified');
  const functions = minor >= 1 ? ['sha512', 'sha256'] : ['sha512'];
  say.error(verification, ['hash'], hashProblem(verification.hash, functions));
  if (source) say.error(resource, ['source'], sourceProblem(source, minor, isFile));
  for (const header of httpHeaders) {
    if (!header.name) say.error(header, ['name'], 'is empty');
    if (header.value === '') say.error(header, ['value'], 'is empty');
  }
  if (httpHeaders.length === 0) return;
  const scheme = parseGoUrl(source ?? '')?.scheme;
  if (scheme !== 'http' && scheme !== 'https')
    say.error(resource, ['httpHeaders'], 'can only be sent to a source that begins with http: or https:');
}

function sourceProblem(source: string, minor: number, isFile: boolean): string | undefined {
  if (!isFile || !isSecretReference(source)) return urlProblem(source, schemesOf(minor));
  const reference = readReference(source);
  return 'problem' in reference ? reference.problem : undefined;
}
