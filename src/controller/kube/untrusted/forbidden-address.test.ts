import { describe, expect, it } from 'vitest';
import { whyForbidden } from './forbidden-address.ts';

describe('an address that a tenant names', () => {
  it.each([
    ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.0.9', '::', '::1', '0:0:0:0:0:0:0:1'],
    ...['169.254.169.254', '169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
    ...['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
    ...['224.0.0.1', '239.255.255.250', '255.255.255.255', '240.0.0.1', 'ff02::1'],
    // An IPv4 address in another form.
    ...['::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0.0.0.0', '::127.0.0.1', '::a9fe:a9fe'],
    ...['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '2002:7f00:1::', '2002:a9fe:a9fe::1'],
    ...['localhost', '', '1.2.3'],
  ])('is not connected to: %s', (address) => expect(whyForbidden(address)).toEqual(expect.any(String)));

  it.each([
    ...[
      '10.96.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '192.0.2.7',
      '1.1.1.1',
      '128.0.0.1',
      '223.255.255.1',
    ],
    ...[
      'fd00::1',
      'fd00:ec2::253',
      '2001:db8::1',
      'fec0::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::1',
    ],
  ])('is connected to, as it may be that of a hosted control plane: %s', (address) =>
    expect(whyForbidden(address)).toBeUndefined(),
  );
});
