import { type Check, preflightFinding, readText } from '../check.ts';

/** Without name servers, a machine pulls no images, and its pods have none either. */
export const nameServers: Check = {
  name: 'name servers',
  async run(host) {
    const text = await readText(host, '/etc/resolv.conf');
    if (text !== undefined && /^[^\S\n]*nameserver\s+\S/m.test(text)) return [];
    const message =
      text === undefined ? '/etc/resolv.conf does not exist' : '/etc/resolv.conf has no name server';
    return [preflightFinding('warning', 'DnsNotConfigured', message)];
  },
};
