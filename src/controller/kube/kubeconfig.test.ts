import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { AccessError } from './access.ts';
import { readKubeconfig, readTenantKubeconfig } from './kubeconfig.ts';

describe('a kubeconfig', () => {
  let folder: string;
  beforeEach(() => {
    folder = scratch();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const read = (server: unknown, more: object = {}) => {
    const path = join(folder, 'config');
    const contexts = [{ name: 'c', context: { cluster: 'k', user: 'u' } }];
    const config = {
      'current-context': 'c',
      contexts,
      clusters: [{ name: 'k', cluster: { server, ...more } }],
    };
    writeFileSync(path, JSON.stringify(config));
    return readKubeconfig(path);
  };

  it('names the server', () => {
    expect(read('https://10.0.0.1:6443').server.host).toBe('10.0.0.1:6443');
  });

  it('names the proxy, or else the environment does', () => {
    vi.stubEnv('HTTPS_PROXY', 'http://environment:1');
    vi.stubEnv('NO_PROXY', 'direct.example,own.example');
    expect(read('https://a.example').proxy?.href).toBe('http://environment:1/');
    expect(read('https://direct.example').proxy).toBeUndefined();
    const proxied = read('https://own.example', { 'proxy-url': 'socks5://own:1080' });
    expect(proxied.proxy?.host).toBe('own:1080');
    expect(() => read('https://a.example', { 'proxy-url': 'ftp://x' })).toThrow(
      /config names no proxy; write/,
    );
  });

  it('is refused in words where the server is no URL', () => {
    expect(() => read('10.0.0.1')).toThrow(AccessError);
    expect(() => read('10.0.0.1')).toThrow(/no URL/);
  });

  it.each([
    ['users that are a text', 'users: g'],
    ['entries that are nothing', 'users: [null]'],
    ['fields that are nothing', 'users: [{name: u, user: {client-key-data: , tokenFile: 7}}]'],
  ])('says nothing of the user with %s', (_, users) => {
    const path = join(folder, 'config');
    const rest = `current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: 'https://a'}}]
`;
    writeFileSync(path, rest + users);
    const { server, clientCertificate } = readKubeconfig(path);
    expect([server.href, clientCertificate]).toEqual(['https://a/', undefined]);
  });
});

describe('a kubeconfig of a tenant', () => {
  const read = (user: object, cluster: object = {}) =>
    readTenantKubeconfig(
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
        clusters: [{ name: 'k', cluster: { server: 'https://a.example', ...cluster } }],
        users: [{ name: 'u', user }],
      }),
      'the kubeconfig of default/c',
      { proxies: ['http://proxy.example:3128'] },
    );
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it('holds everything itself', () => {
    const inline = { 'client-certificate-data': base64('c'), 'client-key-data': base64('k'), token: 't' };
    const access = read(inline, { 'certificate-authority-data': base64('ca') });
    expect(access).toMatchObject({ ca: 'ca', clientCertificate: { cert: 'c', key: 'k' } });
    expect(access.token?.()).toBe('t');
  });

  it.each([
    ['a command', { exec: { command: 'touch', args: ['/tmp/slipway-was-here'], apiVersion: 'x' } }, {}],
    ['a file', { tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' }, {}],
    ['a file', { 'client-certificate-data': base64('c'), 'client-key': '/etc/hostname' }, {}],
    ['a file', { 'client-certificate': '/etc/hostname' }, {}],
    ['a file', {}, { 'certificate-authority': '/etc/hostname' }],
    ['an auth-provider', { 'auth-provider': { name: 'gcp', config: { 'cmd-path': 'touch' } } }, {}],
    ['a server without TLS', {}, { server: 'http://169.254.169.254' }],
  ])('is refused where it names %s', (what, user, cluster) => {
    expect(() => read(user, cluster)).toThrow(AccessError);
    expect(() => read(user, cluster)).toThrow(`the kubeconfig of default/c names ${what}`);
  });

  it('names no proxy but those that the operator allows, whoever logs in there', () => {
    const allowed = read({}, { 'proxy-url': 'http://user:word@PROXY.example:3128/x' });
    expect(allowed.proxy?.host).toBe('proxy.example:3128');
    for (const url of [
      ...['http://169.254.169.254', 'http://proxy.example:3129', 'socks5://proxy.example:3128'],
      ...[
        'http://proxy.example',
        'http://u:secret@other.example:3128',
        'http://proxy.example:3128@other.example',
      ],
    ]) {
      expect(() => read({}, { 'proxy-url': url })).toThrow(AccessError);
      expect(() => read({}, { 'proxy-url': url })).toThrow(/which nobody has allowed.*--allow-proxy/);
      expect(() => read({}, { 'proxy-url': url })).not.toThrow(/secret/);
    }
  });

  it('is refused where it is large, and where reading it would take for ever', () => {
    const other = (text: string) => () =>
      readTenantKubeconfig(text, 'the kubeconfig of default/c', { proxies: [] });
    expect(other(' '.repeat(129 * 1024))).toThrow(/default\/c has more than 128 KiB/);
    const began = performance.now();
    expect(other('? '.repeat(600))).toThrow(/is no kubeconfig: it is no YAML.*more than 32 levels/);
    expect(other('just a text')).toThrow(/no usable context/);
    expect(other('- a')).toThrow(/no usable context/);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('has bounds, which one that the operator named has not', () => {
    expect(read({}).limits?.answerBytes).toBeGreaterThan(0);
  });
});
