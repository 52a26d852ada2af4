import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readKubeconfig } from './kubeconfig.ts';

describe('a kubeconfig', () => {
  let folder: string;
  beforeEach(() => {
    folder = scratch();
  });

  const read = (text: string) => {
    writeFileSync(join(folder, 'a.conf'), text);
    return readKubeconfig(createLinuxHost({ root: folder }), '/a.conf');
  };
  const WHOLE = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [
      { name: 'k', cluster: { server: 'https://10.0.0.1:6443', 'certificate-authority-data': 'UEVN' } },
    ],
    users: [{ name: 'u', user: { 'client-certificate': '/c.pem', 'client-key-data': 'S0VZ' } }],
  };

  it('gives the server and the credentials of the context that counts', async () => {
    writeFileSync(join(folder, 'c.pem'), 'CERT');
    expect(await read(JSON.stringify(WHOLE))).toEqual({
      server: 'https://10.0.0.1:6443',
      ca: 'PEM',
      certificate: 'CERT',
      key: 'KEY',
    });
  });

  it('may hold a large bundle of authorities', async () => {
    const bundle = Buffer.alloc(300_000, 'CERTIFICATE').toString('base64');
    const cluster = { server: 'https://10.0.0.1:6443', 'certificate-authority-data': bundle };
    const found = await read(JSON.stringify({ ...WHOLE, clusters: [{ name: 'k', cluster }] }));
    expect(found?.ca?.length).toBe(300_000);
  });

  it.each([
    ['nothing', ''],
    ['nested without end', '['.repeat(1_000_000)],
    ['nested by indentation', '- '.repeat(400_000)],
    ['a text', 'x'],
    [
      'no word of which context counts',
      JSON.stringify({
        ...WHOLE,
        'current-context': undefined,
        contexts: [{ context: WHOLE.contexts[0]?.context }],
      }),
    ],
    ['lists that are none', JSON.stringify({ ...WHOLE, contexts: 'c' })],
    ['entries that are nothing', JSON.stringify({ ...WHOLE, contexts: [null, 7] })],
    ['a cluster that is a text', JSON.stringify({ ...WHOLE, clusters: [{ name: 'k', cluster: 'x' }] })],
    ['an endless alias', 'a: &a [*a]\ncontexts: *a'],
    ['mappings as keys', '{{a: b}: c}'],
    ['unknown tags', 'clusters: [!name: k]'],
  ])('is none, and nobody is warned: %s', async (_, text) => {
    const warned = vi.spyOn(process, 'emitWarning');
    expect(await read(text)).toBeUndefined();
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });
});
