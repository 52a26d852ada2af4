import { describe, expect, it } from 'vitest';
import { AccessError } from './access.ts';
import { parseProxy, proxyFor } from './proxy.ts';

const through = (server: string, env: NodeJS.ProcessEnv) => proxyFor(new URL(server), env)?.href;

describe('the proxy of the environment', () => {
  it('is the one for the scheme of the server, in capitals first, with or without a scheme of its own', () => {
    const all = { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:1', HTTP_PROXY: 'c:3128' };
    expect(through('https://api', all)).toBe('http://a:1/');
    expect(through('http://api', all)).toBe('http://c:3128/');
    expect(through('https://api', { HTTPS_PROXY: '', https_proxy: 'https://u:p@b:1' })).toBe(
      'https://u:p@b:1/',
    );
    expect(through('https://api', { HTTP_PROXY: 'http://c:1' })).toBeUndefined();
    expect(through('https://api', {})).toBeUndefined();
  });

  it.each(['https://localhost', 'https://127.0.0.53:6443', 'https://[::1]:6443'])(
    'is not asked for this machine: %s',
    (server) => expect(through(server, { HTTPS_PROXY: 'http://p' })).toBeUndefined(),
  );

  it.each([
    ['*', 'https://api.example'],
    ['a.b, api.example', 'https://API.example'],
    ['example', 'https://api.example'],
    ['.example', 'https://api.example'],
    ['*.example', 'https://api.example'],
    ['api.example:6443', 'https://api.example:6443'],
    ['api.example:443', 'https://api.example'],
    ['10.96.0.0/12', 'https://10.96.0.1'],
    ['10.96.0.1', 'https://10.96.0.1'],
    ['10.96.0.1:443', 'https://10.96.0.1'],
    ['fd00::/8', 'https://[fd00::1]:6443'],
    ['fd00:0::1', 'https://[fd00::1]:6443'],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443'],
  ])('is not asked where NO_PROXY=%s and the server is %s', (exceptions, server) => {
    expect(through(server, { HTTPS_PROXY: 'http://p', NO_PROXY: exceptions })).toBeUndefined();
    expect(through(server, { HTTPS_PROXY: 'http://p', no_proxy: exceptions })).toBeUndefined();
  });

  it.each([
    ['', 'https://api.example'],
    [' ,, :443', 'https://api.example'],
    ['.api.example', 'https://api.example'],
    ['*.api.example', 'https://api.example'],
    ['pi.example', 'https://api.example'],
    ['api.example:443', 'https://api.example:6443'],
    ['10.96.0.0/12', 'https://10.112.0.1'],
    ['10.96.0.0/99', 'https://10.96.0.0'],
    ['10.96.0.1:6443', 'https://10.96.0.1'],
    ['10.96.0.0/12', 'https://api.example'],
    ['fd00::/8', 'https://10.96.0.1'],
  ])('is asked where NO_PROXY=%s and the server is %s', (exceptions, server) => {
    expect(through(server, { HTTPS_PROXY: 'http://p', NO_PROXY: exceptions })).toBe('http://p/');
  });

  it('is refused in words, without its password', () => {
    for (const text of ['ftp://u:secret@p', 'http://u:secret@', 'http://u:secret@p:port']) {
      expect(() => parseProxy(text, 'HTTPS_PROXY')).toThrow(AccessError);
      expect(() => parseProxy(text, 'HTTPS_PROXY')).toThrow(/^HTTPS_PROXY names no proxy; write http:/);
    }
  });
});
