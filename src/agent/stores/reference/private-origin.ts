import { isIP } from 'node:net';

/** May credentials go there? By TLS, or on a way that does not leave this machine. */
export function isPrivateOrigin(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const name = hostname.replace(/^\[|\]$/g, '');
  const isLoopback = name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}
