import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { Authority } from '../../pki/authority.ts';
import { createLog } from '../log.ts';
import { ServerCertificate } from './server-certificate.ts';

const dir = mkdtempSync(join(tmpdir(), 'slipway-certificate-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('ServerCertificate', () => {
  it('shows new files to new connections; half a renewal changes nothing, open connections go on', async () => {
    const made = Authority.create('test');
    const authority = new Authority(made.certificate, made.privateKey);
    const tlsFiles = { cert: join(dir, 'tls.crt'), key: join(dir, 'tls.key') };
    const put = (part: 'cert' | 'key', text: string): void => writeFileSync(tlsFiles[part], text);
    const [first, second] = [
      authority.server(['localhost'], 3_600_000),
      authority.server(['localhost'], 7_200_000),
    ];
    put('cert', first.cert);
    put('key', first.key);
    const lines: string[] = [];
    const certificate = new ServerCertificate(
      { names: [], tlsFiles },
      { authority, trusted: made.certificate, chain: '' },
      createLog((line) => lines.push(line)),
    );
    const server = createServer(certificate.current).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    certificate.watch((files) => server.setSecureContext(files), 20);
    const { port } = server.address() as AddressInfo;
    const shown = (keep = false) =>
      new Promise<{ serial: string; alive: () => boolean; end: () => void }>((resolve, reject) => {
        const socket = connect(
          { port, host: '127.0.0.1', servername: 'localhost', ca: made.certificate },
          () => {
            resolve({
              serial: socket.getPeerCertificate().serialNumber,
              alive: () => !socket.destroyed,
              end: () => socket.destroy(),
            });
            if (!keep) socket.end();
          },
        );
        socket.once('error', reject);
      });
    const serialOf = (pem: string): string => new X509Certificate(pem).serialNumber;
    const old = await shown(true);
    expect(old.serial).toBe(serialOf(first.cert));
    put('cert', second.cert);
    while (!/not usable yet.*is not the key of/.test(lines.join(''))) await sleep(5);
    expect((await shown()).serial).toBe(serialOf(first.cert));
    put('key', second.key);
    while (!lines.join('').includes('shows a new certificate')) await sleep(5);
    expect((await shown()).serial).toBe(serialOf(second.cert));
    expect(old.alive()).toBe(true);
    old.end();
    certificate.stop();
    server.close();
  });
});
