import { BlockList, isIP } from 'node:net';
import { AccessError } from './access.ts';

const KNOWN = ['http:', 'https:', 'socks5:'];

/**
 * The environment's proxy for a server; undefined if there is none. It follows client-go and kubectl
 * (golang.org/x/net/http/httpproxy): HTTPS_PROXY for `https:` and HTTP_PROXY for `http:`, upper case before
 * lower case, neither for the other. NO_PROXY holds names, domains, addresses and networks. This machine
 * itself needs no proxy.
 *
 * @throws AccessError
 */
export function proxyFor(server: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy || isDirect(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  return parseProxy(proxy, name);
}

/**
 * Parses `http://user:password@proxy:3128`, also without the scheme.
 *
 * @param from who names it, for the error; the text itself may hold a password
 * @throws AccessError
 */
export function parseProxy(text: string, from: string): URL {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url && KNOWN.includes(url.protocol)) return url;
  throw new AccessError(
    `${from} names no proxy; write http://, https:// or socks5:// with a host and a port`,
  );
}

/** `http://proxy:3128`: all of a proxy but credentials. */
export function placeOf({ protocol, hostname, port }: URL): string {
  const usual: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'socks5:': '1080' };
  return `${protocol}//${hostname.toLowerCase()}:${port || usual[protocol]}`;
}

function isDirect({ protocol, hostname, port }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (host === 'localhost' || isWithin(host, '127.0.0.0', 8) || isWithin(host, '::1', 128)) return true;
  const asked = port || (protocol === 'https:' ? '443' : '80');
  const entries = noProxy.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry === '*' || (entry !== '' && isMatch(entry, host, asked)));
}

function isMatch(entry: string, host: string, port: string): boolean {
  const [, network = '', prefix] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (isIP(network) !== 0) return isWithin(host, network, Number(prefix));
  const [, name = entry, only] = /^(\[.+\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (name === '' || (only !== undefined && only !== port)) return false;
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return isWithin(host, bare, isIP(bare) === 4 ? 32 : 128);
  // A domain with a leading dot does not match the host of that name.
  const domain = bare.replace(/^\*\./, '.');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function isWithin(host: string, network: string, prefix: number): boolean {
  const family = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');
  if (isIP(host) === 0 || prefix > (isIP(network) === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family(network));
  return list.check(host, family(host));
}
