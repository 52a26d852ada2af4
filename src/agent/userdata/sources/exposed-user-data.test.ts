import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLinuxHost } from '../../host/linux/host.ts';
import { exposedUserDataUrl } from './exposed-user-data.ts';

describe('exposedUserDataUrl', () => {
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end('ami-id\n'));
  let origin = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  const ask = (name: string, subplatform: string) =>
    exposedUserDataUrl(createLinuxHost(), {
      name,
      platform: name,
      subplatform,
      addresses: [],
      publicKeys: [],
    });

  it('accuses AWS where it gives metadata without a token, and only there', async () => {
    for (const [answer, found] of [
      [200, origin],
      [401, undefined],
      [403, undefined],
      [404, undefined],
    ] as const) {
      status = answer;
      expect(await ask('aws', `metadata (${origin})`), String(answer)).toBe(found);
    }
    expect(await ask('aws', 'metadata (http://127.0.0.1:1)')).toBeUndefined();
  });

  it.each([
    [
      'gce',
      'metadata (http://metadata.google.internal/computeMetadata/v1/)',
      'http://metadata.google.internal',
    ],
    ['hetzner', 'metadata (http://169.254.169.254)', 'http://169.254.169.254'],
    ['azure', 'imds (IMDS)', 'http://169.254.169.254'],
    ['azure', 'config-disk (/dev/sr0)', undefined],
    ['nocloud', 'seed-dir (/var/lib/cloud/seed/nocloud)', undefined],
    ['scaleway', 'metadata (http://169.254.42.42)', undefined],
    ['openstack', 'metadata (not a URL)', undefined],
  ])('knows where the user data of %s lie: %s', async (name, subplatform, found) => {
    expect(await ask(name, subplatform)).toBe(found);
  });
});
