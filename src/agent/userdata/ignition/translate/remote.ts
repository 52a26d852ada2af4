import { sensitive } from '../../../../secrets/sensitive.ts';
import type { FetchSettings, RemoteContent } from '../../../document/document.ts';
import { isObjectAddress, readObjectAddress } from '../../../fetch/objects/address.ts';
import type { Remarks } from '../check/remarks.ts';
import type { Ignition, Resource } from '../schema/spec3.ts';
import { parseGoUrl } from '../url/urls.ts';
import type { Contents } from './content.ts';

/** What lies on a web server or in a store of objects. Any other place is an error, by its name. */
export function remoteOf(resource: Resource, say: Remarks): RemoteContent | undefined {
  const { source = '', httpHeaders = [], compression, verification } = resource;
  const scheme = parseGoUrl(source)?.scheme ?? '';
  if (isObjectAddress(source)) {
    const object = readObjectAddress(source);
    if ('problem' in object) {
      say.error(resource, ['source'], object.problem);
      return undefined;
    }
  } else if (!/^https?$/.test(scheme) || !URL.canParse(source)) {
    const why = scheme === 'tftp' ? ' (TFTP has no protection against changes in transit)' : '';
    say.error(resource, ['source'], `uses ${scheme}:, which Slipway does not support${why}`);
    return undefined;
  }
  return {
    url: sensitive(source),
    headers: httpHeaders.flatMap(({ name = '', value }) =>
      value === undefined ? [] : [{ name, value: sensitive(value) }],
    ),
    isCompressed: compression === 'gzip',
    ...(verification?.hash === undefined ? {} : { hash: verification.hash }),
  };
}

/** How a config wants everything to be fetched: proxy, authorities, time. */
export function fetchSettings(
  { proxy, security, timeouts }: Ignition,
  contents: Contents,
  say: Remarks,
): FetchSettings {
  const authorities = security?.tls?.certificateAuthorities ?? [];
  const own: string[] = [];
  const remote: RemoteContent[] = [];
  for (const authority of authorities) {
    const bytes = contents.bytesOf(authority);
    const from = bytes ? undefined : remoteOf(authority, say);
    if (bytes) own.push(bytes.toString('utf8'));
    if (from) remote.push(from);
  }
  return {
    authorities: own,
    ...(remote.length > 0 ? { remoteAuthorities: remote } : {}),
    ...(timeouts?.httpTotal ? { totalSeconds: timeouts.httpTotal } : {}),
    ...(proxy
      ? {
          proxy: {
            ...(proxy.httpProxy ? { http: sensitive(proxy.httpProxy) } : {}),
            ...(proxy.httpsProxy ? { https: sensitive(proxy.httpsProxy) } : {}),
            except: proxy.noProxy ?? [],
          },
        }
      : {}),
  };
}
