import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import type { StepContext } from '../../../engine/step.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { readDocument } from '../../../userdata/fixtures/read-document.ts';
import { openShared } from '../../kind/shared.ts';
import { plan } from '../../plan.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE';

let root: string;
let server: Server;
let asked: string[];
beforeEach(async () => {
  asked = [];
  root = scratch();
  mkdirSync(join(root, 'home'));
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'etc/passwd'), `u:x:${process.getuid?.()}:${process.getgid?.()}::/home:/bin/sh\n`);
  server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url === '/github.com/there.keys')
      response.end(`${KEY} one\ncommand="id" ${KEY.replace('IE', 'IF')} two\n`);
    else if (url === '/launchpad.net/~there/+sshkeys') response.end(`${KEY.replace('IE', 'IG')} three\n`);
    else if (url.includes('moved')) response.writeHead(302, { location: 'http://elsewhere/' }).end();
    else if (url.includes('large')) response.end(`${KEY}\n`.repeat(10_000));
    else if (url.includes('busy')) response.writeHead(503).end();
    else response.writeHead(url.includes('empty') ? 200 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
});

/** A machine on which the two services lie behind this server, each below its name. */
function machine(): Host {
  const host = createLinuxHost({ root });
  const { port } = server.address() as AddressInfo;
  const client: Host['network']['client'] = (options) => {
    const real = host.network.client(options);
    return {
      ...real,
      send: (request) => {
        expect(request.url).toMatch(/^https:/);
        return real.send({ ...request, url: request.url.replace('https://', `http://127.0.0.1:${port}/`) });
      },
    };
  };
  return { ...host, network: { ...host.network, client } };
}

async function run(ids: string) {
  const text = `#cloud-config\nusers: [{name: u, ssh_import_id: ${ids}}]\n`;
  const document = readDocument(Buffer.from(text), { source: 'file', metaData: {} });
  const planned = plan(document).find(({ id }) => id === 'ssh/imported-keys');
  const host = machine();
  const step = await planned?.load(openShared(host, document, 'i', () => undefined));
  return step?.run({ host, signal: new AbortController().signal } as Partial<StepContext> as StepContext);
}

it('lets in by the keys that the services know, without options', async () => {
  expect(await run('[gh:there, lp:there]')).toEqual({
    done: true,
    message: '1 of gh:there for u, 1 of lp:there for u',
  });
  expect(readFileSync(join(root, 'home/.ssh/authorized_keys'), 'utf8')).toBe(
    `${KEY} one # ssh-import-id gh:there\n${KEY.replace('IE', 'IG')} three # ssh-import-id lp:there\n`,
  );
});

it.each([
  ['gh:nobody', 'ResourceRefused', 'no', /status 404/],
  ['gh:empty', 'ResourceRefused', 'no', /has no SSH keys/],
  ['gh:large', 'ResourceRefused', 'no', /more than 262144 bytes/],
  ['gh:moved', 'ResourceRefused', 'no', /redirects from https to http/],
  ['gh:busy', 'ResourceNotFetched', 'yes', /status 503/],
])('%s is a finding with its reason', async (id, code, retry, cause) => {
  expect(await run(`["${id}"]`)).toMatchObject({
    done: false,
    retry,
    failure: { code, cause: expect.stringMatching(cause) },
  });
});
