import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as plain, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runOk } from '../../lab/process/command.ts';

export type Slipway = (...words: string[]) => Promise<string>;

const CONTENT = Buffer.alloc(300_000, 'fetched by an emulated processor\n');

/**
 * What is fetched over HTTPS, whose authority the user data names, over HTTP, and by `#include`; TLS, hashes and decompression are
 * code of the processor's own.
 */
export async function expectFetched(slipway: Slipway, folder: string): Promise<void> {
  const [key, certificate] = [join(folder, 'tls.key'), join(folder, 'tls.pem')];
  await runOk('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=server', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
  ]);
  let base = '';
  const answer: RequestListener = ({ url = '' }, response) => {
    const answers: Readonly<Record<string, () => string | Buffer>> = {
      '/content': () => CONTENT,
      '/merged.ign': () => JSON.stringify(ignition({ storage: { files: [fileOf('/etc/merged', base)] } })),
      '/included': () =>
        `#cloud-config\nwrite_files:\n- {path: /etc/included, source: {uri: "${base}/content"}}\n`,
    };
    const found = answers[url];
    response.writeHead(found ? 200 : 404).end(found?.());
  };
  const tls = { key: readFileSync(key), cert: readFileSync(certificate) };
  for (const server of [createServer(tls, answer), plain(answer)]) {
    const isTls = 'addContext' in server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http${isTls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await (isTls ? overTls(slipway, folder, base, certificate) : inClear(slipway, folder, base));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
}

/** An Ignition config that merges another one; `bootstrap` fetches that and the files of both. */
async function overTls(slipway: Slipway, folder: string, base: string, certificate: string): Promise<void> {
  const [root, userData] = [join(folder, 'fetched'), join(folder, 'config.ign')];
  mkdirSync(join(root, 'etc/slipway'), { recursive: true });
  writeFileSync(join(root, 'etc/slipway/node.yaml'), 'kubeadm: none\n');
  const authority = `data:;base64,${readFileSync(certificate).toString('base64')}`;
  const config = ignition({
    ignition: {
      config: { merge: [{ source: `${base}/merged.ign` }] },
      security: { tls: { certificateAuthorities: [{ source: authority }] } },
    },
    storage: { files: [fileOf('/etc/fetched', base)] },
  });
  writeFileSync(userData, JSON.stringify(config));
  await slipway('bootstrap', '--root', root, '--user-data', userData);
  for (const name of ['etc/fetched', 'etc/merged'])
    assert.ok(readFileSync(join(root, name)).equals(CONTENT), name);
}

/** An image gets what a cloud-config that is included fetches. */
async function inClear(slipway: Slipway, folder: string, base: string): Promise<void> {
  const [root, userData] = [join(folder, 'image'), join(folder, 'include')];
  mkdirSync(root);
  writeFileSync(userData, `#include\n${base}/included\n`);
  assert.match(await slipway('apply', '--root', root, userData), /^done: write 1 file \(1 written\)$/m);
  assert.ok(readFileSync(join(root, 'etc/included')).equals(CONTENT));
  assert.equal(statSync(join(root, 'etc/included')).mode & 0o777, 0o644);
}

function fileOf(path: string, base: string): object {
  const hash = `sha512-${createHash('sha512').update(CONTENT).digest('hex')}`;
  return { path, contents: { source: `${base}/content`, verification: { hash } } };
}

function ignition({ ignition: more = {}, ...rest }: { ignition?: object; [key: string]: unknown }): object {
  return { ignition: { version: '3.3.0', ...more }, ...rest };
}
