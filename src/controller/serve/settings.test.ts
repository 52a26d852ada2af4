import { describe, expect, it } from 'vitest';
import { parseListen } from './settings.ts';

describe('parseListen', () => {
  it('reads addresses', () => {
    expect(parseListen('8443')).toEqual({ port: 8443 });
    expect(parseListen(':8443')).toEqual({ port: 8443 });
    expect(parseListen('10.0.0.1:80')).toEqual({ host: '10.0.0.1', port: 80 });
    expect(parseListen('[::1]:80')).toEqual({ host: '::1', port: 80 });
  });

  it('refuses what is none', () => {
    for (const text of ['', 'x', ':', ':99999', 'a:b', '::1:80'])
      expect(() => parseListen(text)).toThrow(/no address/);
  });
});
