import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createPlainServer } from './plain-server.ts';

it('answers while more connections than it keeps say nothing', async () => {
  const server = createPlainServer({ '/healthz': () => ({ status: 200, text: 'ok\n' }) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, method = 'GET'): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, method, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .once('error', reject)
        .end();
    });
  const idle: Socket[] = [];
  try {
    for (let i = 0; i < 200; i += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      idle.push(socket);
      await once(socket, 'connect');
    }
    expect(await ask('/healthz')).toBe(200);
    expect(await ask('/other')).toBe(404);
    expect(await ask('/healthz', 'POST')).toBe(405);
    expect(idle.some(({ destroyed }) => !destroyed)).toBe(true);
  } finally {
    for (const socket of idle) socket.destroy();
    server.close();
  }
});
