import { expect, it } from 'vitest';
import { peerAddress } from './peer-address.ts';

it('counts a network of IPv6 as one peer, and an IPv4 address as itself', () => {
  for (const [address, peer] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
    ['2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:db8:0:7::/64'],
    ['2001:DB8::7:0:0:2', '2001:db8:0:0::/64'],
    ['2001:db8:0:8::1', '2001:db8:0:8::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    [undefined, ''],
  ] as const)
    expect(peerAddress(address)).toBe(peer);
});
