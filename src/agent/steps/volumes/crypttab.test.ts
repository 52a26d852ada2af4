import { expect, it } from 'vitest';
import { uuidInCrypttab, withCrypttabLine } from './crypttab.ts';

it('gives each volume one line of crypttab, and leaves the others as they are', () => {
  const line = { name: 'a', uuid: 'U', keyFile: 'none', needsNetwork: true };
  expect(withCrypttabLine('', line)).toBe('a UUID=U none luks,_netdev\n');
  expect(withCrypttabLine('# x\nb /dev/b none luks', line)).toBe(
    '# x\nb /dev/b none luks\na UUID=U none luks,_netdev\n',
  );
  expect(
    withCrypttabLine(' a UUID=V /k\nb x\n', { ...line, keyFile: '/etc/luks/a', needsNetwork: false }),
  ).toBe('b x\na UUID=U /etc/luks/a luks\n');
  const once = withCrypttabLine('ab UUID=W none\n', line);
  expect(withCrypttabLine(once, line)).toBe(once);
  expect([uuidInCrypttab(once, 'a'), uuidInCrypttab(once, 'ab'), uuidInCrypttab(once, 'b')]).toEqual([
    ...['U', 'W', undefined],
  ]);
  expect(uuidInCrypttab('a /dev/sda\n', 'a')).toBe('none');
});
