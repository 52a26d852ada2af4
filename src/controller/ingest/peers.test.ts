import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { digestOf, sign, startIngest } from './fixtures/ingest-scene.ts';
import type { IngestServer } from './server.ts';

let server: IngestServer | undefined;

afterEach(() => server?.drain(0));

it('ends what a machine has under way without another word, and nothing of others', async () => {
  const scene = await startIngest({});
  server = scene.server;
  const { port } = server.server.address() as AddressInfo;
  /** A request that goes on. */
  const halfSent = async () => {
    const machine = scene.machine();
    const { key } = machine;
    const cert = sign(machine).certificate;
    const socket = connect({ host: '127.0.0.1', port, key, cert, rejectUnauthorized: false });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    const head = 'POST /v1/events HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n';
    socket.write(head);
    await once(socket, 'data');
    let told = '';
    socket.on('data', (chunk: Buffer) => (told += chunk.toString()));
    return { machine, socket, end: once(socket, 'close').then(() => told) };
  };
  const [gone, other] = [await halfSent(), await halfSent()];
  server.peers.hangUp(digestOf(gone.machine));
  expect(await gone.end).toBe('');
  expect(other.socket.destroyed).toBe(false);
  other.socket.destroy();
});
