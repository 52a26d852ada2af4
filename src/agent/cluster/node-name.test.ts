import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Authority } from '../../pki/authority.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { awaitNodeName, type NameVerdict } from './node-name.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

describe('a name that a Ready Node has', () => {
  let server: Server;
  let ca: string;
  /** What the API server answers, one after the other; the last one for ever. */
  let answers: (() => [number, unknown])[];
  let asked: (string | undefined)[];

  const node =
    (ready: string, bootID = 'another boot') =>
    (): [number, unknown] => [
      200,
      {
        kind: 'Node',
        status: {
          conditions: [
            { type: 'MemoryPressure', status: 'False' },
            { type: 'Ready', status: ready },
          ],
          nodeInfo: { bootID, systemUUID: 'ABC' },
        },
      },
    ];

  beforeEach(async () => {
    const { certificate, privateKey } = Authority.create('cluster');
    ca = certificate;
    const { cert, key } = new Authority(certificate, privateKey).server(['127.0.0.1'], 3_600_000);
    asked = [];
    server = createServer({ key, cert }, (request, response) => {
      asked.push(request.headers.authorization);
      const [status, body] = (answers.length > 1 ? answers.shift() : answers[0])?.() ?? [500, {}];
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const verdict = (graceMs = 40): Promise<NameVerdict> => {
    const host = createLinuxHost();
    return awaitNodeName(
      { ...host, clock: { ...host.clock, sleep: () => new Promise((resolve) => setTimeout(resolve, 5)) } },
      {
        endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`,
        ca,
        token: sensitive(TOKEN),
        nodeName: 'n1',
        signal: new AbortController().signal,
        onProgress: () => undefined,
        graceMs,
      },
    );
  };

  it('is free as soon as the cluster gives the Node up, or somebody deletes it', async () => {
    answers = [node('True'), node('True'), node('Unknown')];
    expect(await verdict(60_000)).toBe('free');
    expect(asked).toEqual(Array(3).fill(`Bearer ${TOKEN}`));
    answers = [node('True'), () => [404, { kind: 'Status' }]];
    expect(await verdict(60_000)).toBe('free');
  });

  it('is taken when the Node stays Ready', async () => {
    answers = [node('True')];
    expect(await verdict()).toBe('taken');
  });

  it('may be had again when the Node is of an earlier attempt of this machine', async () => {
    answers = [node('True', BOOT)];
    expect(await verdict()).toBe('own');
  });

  it('tells nothing when nobody can look', async () => {
    answers = [() => [403, { kind: 'Status' }]];
    expect(await verdict(60_000)).toBe('unknown');
    // What a proxy in between may answer.
    for (const body of ['<html>', 7, null, {}, { kind: 'Status', status: 'Failure' }]) {
      answers = [() => [200, body]];
      expect(await verdict(60_000)).toBe('unknown');
    }
    answers = [() => [200, { kind: 'Node', status: { conditions: [null, 7], nodeInfo: { bootID: 1 } } }]];
    expect(await verdict(60_000)).toBe('free');
    ca = Authority.create('another').certificate;
    expect(await verdict(60_000)).toBe('unknown');
  });
});
