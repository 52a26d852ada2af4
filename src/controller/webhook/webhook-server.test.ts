import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Authority } from '../../pki/authority.ts';
import { WebhookServer } from './webhook-server.ts';

const SECRET = 'a'.repeat(64);
const REVIEW = {
  apiVersion: 'admission.k8s.io/v1',
  request: { uid: 'r', object: { kind: 'Secret', metadata: { name: 'w1' } } },
};

describe('WebhookServer', () => {
  let server: WebhookServer;
  let port: number;
  let missed: string[];
  let answer: () => Promise<object>;
  const sockets: Socket[] = [];
  const agent = new Agent({ keepAlive: true });

  beforeEach(async () => {
    const made = Authority.create('test');
    const pair = new Authority(made.certificate, made.privateKey).server(['localhost'], 86_400_000);
    missed = [];
    answer = async () => ({ answered: true });
    server = new WebhookServer(
      pair,
      () => SECRET,
      () => answer(),
      (miss) => missed.push(miss),
    );
    port = await server.listen(0, '127.0.0.1');
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    agent.destroy();
    await server.close(100);
  });

  const post = (path: string, body: string, method = 'POST'): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const asked = request(
        { host: '127.0.0.1', port, path, method, agent, rejectUnauthorized: false },
        (response) => {
          let text = '';
          response.on('data', (piece: Buffer) => {
            text += piece;
          });
          response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      asked.once('error', reject);
      asked.end(body);
    });

  it.each([
    ['/', 404],
    [`/bootstrap-data/${SECRET}/other`, 404],
    ['/bootstrap-data//managed', 404],
    [`/bootstrap-data/${'b'.repeat(64)}/managed`, 404],
    [`/bootstrap-data/${SECRET}/managed`, 200],
    [`/bootstrap-data/${SECRET}/none?timeout=5s`, 200],
  ])('answers %s with %d', async (path, status) => {
    expect((await post(path, JSON.stringify(REVIEW))).status).toBe(status);
    expect(missed).toEqual(status === 404 ? ['unknown-path'] : []);
  });

  it.each([
    ['no JSON', '{', 400],
    ['no review', '{}', 400],
    ['another object', JSON.stringify({ ...REVIEW, request: { uid: 'r', object: { kind: 'Pod' } } }), 400],
    ['too much', `"${'a'.repeat(5_000_000)}"`, 413],
  ])('refuses %s', async (_name, body, status) => {
    const answered = await post(`/bootstrap-data/${SECRET}/managed`, body).catch(() => ({ status: 413 }));
    expect(answered.status).toBe(status);
  });

  it('goes on where an answer fails', async () => {
    answer = async () => {
      throw new Error('a fault');
    };
    await expect(post(`/bootstrap-data/${SECRET}/managed`, JSON.stringify(REVIEW))).rejects.toThrow();
    answer = async () => ({ answered: true });
    expect((await post(`/bootstrap-data/${SECRET}/managed`, JSON.stringify(REVIEW))).status).toBe(200);
    expect(missed).toEqual(['unanswered']);
  });

  it('answers the API server while strangers fill their connections', async () => {
    answer = async () => {
      await sleep(300);
      return { answered: true };
    };
    const reviews = Array.from({ length: 20 }, () =>
      post(`/bootstrap-data/${SECRET}/managed`, JSON.stringify(REVIEW)),
    );
    await sleep(150);
    for (let index = 0; index < 200; index += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
    }
    const answers = await Promise.all(reviews);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(missed).toEqual([]);
  });

  it('counts an answer that nobody has waited for', async () => {
    answer = async () => {
      await sleep(200);
      return {};
    };
    const asked = request({
      ...{ host: '127.0.0.1', port, path: `/bootstrap-data/${SECRET}/managed`, method: 'POST' },
      rejectUnauthorized: false,
    });
    asked.on('error', () => undefined);
    asked.end(JSON.stringify(REVIEW));
    await sleep(100);
    asked.destroy();
    await expect.poll(() => missed).toEqual(['unanswered']);
  });
});
