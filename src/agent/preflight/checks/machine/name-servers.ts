import { type Check, readText } from '../check.ts';
import { found } from '../finding.ts';

/** A machine without name servers pulls no images and gives its pods none either. */
export const nameServers: Check = {
  name: 'name servers',
  async run(host) {
    const text = await readText(host, '/etc/resolv.conf');
    if (text !== undefined && /^\s*nameserver\s+\S/m.test(text)) return [];
    const message =
      text === undefined ? '/etc/resolv.conf is not there' : '/etc/resolv.conf names no name server';
    return [found('warning', 'DnsNotConfigured', message)];
  },
};
