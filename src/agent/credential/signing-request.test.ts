import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sensitive } from '../../secrets/sensitive.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { SigningRequests } from './signing-request.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

let api: Server;
let asked: string[];
let status: object;
let onWatch: (answer: ServerResponse) => void;

beforeEach(async () => {
  asked = [];
  status = {};
  api = createServer((request, answer) => {
    asked.push(`${request.headers.authorization} ${request.url?.replace(/&timeout.*/, '')}`);
    if (request.url?.includes('watch=true')) return onWatch(answer);
    answer.end(JSON.stringify({ status }));
  });
  await new Promise<void>((resolve) => {
    api.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(() => {
  api.closeAllConnections();
  api.close();
});

const SIGNED = { certificate: Buffer.from('CERTIFICATE').toString('base64') };

/** No pause ends by itself, but for those of at most `shortMs`. */
function standing(shortMs: number) {
  const host = createLinuxHost();
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (ms <= shortMs || signal?.aborted) resolve();
      signal?.addEventListener('abort', () => resolve());
    });
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const requests = new SigningRequests(
    { ...host, clock: { ...host.clock, sleep } },
    { server, token: sensitive('abcdef.0123456789abcdef') },
  );
  return requests.standing({ nodeName: 'n1', name: 'node-csr-1', csr: '', key: '' }, 60_000);
}

it('is told by the API server when a request is signed, and does not ask until then', async () => {
  onWatch = (answer) => {
    status = SIGNED;
    answer.write('{"type":"MODIFIED"}\n');
  };
  expect(await standing(50)).toEqual({ is: 'signed', certificate: 'CERTIFICATE' });
  const bearer = 'Bearer abcdef.0123456789abcdef';
  expect(asked).toEqual([
    `${bearer} ${PATH}/node-csr-1`,
    `${bearer} ${PATH}?watch=true&fieldSelector=metadata.name%3Dnode-csr-1`,
    `${bearer} ${PATH}/node-csr-1`,
  ]);
});

it('asks by itself where the API server allows no watch', async () => {
  onWatch = (answer) => {
    status = SIGNED;
    answer.writeHead(403).end();
  };
  expect(await standing(2_000)).toEqual({ is: 'signed', certificate: 'CERTIFICATE' });
});
