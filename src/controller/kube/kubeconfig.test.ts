import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessError } from './access.ts';
import { readKubeconfig } from './kubeconfig.ts';

describe('a kubeconfig', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-kubeconfig-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const read = (server: unknown) => {
    const path = join(folder, 'config');
    const contexts = [{ name: 'c', context: { cluster: 'k', user: 'u' } }];
    const config = { 'current-context': 'c', contexts, clusters: [{ name: 'k', cluster: { server } }] };
    writeFileSync(path, JSON.stringify(config));
    return readKubeconfig(path);
  };

  it('names the server', () => {
    expect(read('https://10.0.0.1:6443').server.host).toBe('10.0.0.1:6443');
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
