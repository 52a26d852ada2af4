import { createPublicKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { createKey } from '../../pki/csr.ts';
import { Keys, makeMaterial, rotateMaterial } from './key-ring.ts';
import { makeTokenMaterial, rotateTokenMaterial, TokenKeys } from './token-keys.ts';

const HOUR = 3_600_000;

/** What a client with a certificate of `client`, which trusts `ca` alone, says of a server that shows `server`. */
async function meet(server: Keys, client: Keys, ca: string): Promise<string> {
  const shown = server.authority.server(['localhost'], HOUR);
  const key = createKey();
  const { certificate } = client.authority.sign(
    { use: 'client', name: 'n', uri: 'slipway:x', publicKey: createPublicKey(key) },
    HOUR,
  );
  const listening = createServer({
    ...{ cert: shown.cert + server.chain, key: shown.key, ca: server.trusted },
    ...{ requestCert: true, rejectUnauthorized: false },
  });
  listening.on('secureConnection', (socket) => socket.end(socket.authorized ? 'known' : 'stranger'));
  try {
    await once(listening.listen(0, '127.0.0.1'), 'listening');
    const { port } = listening.address() as AddressInfo;
    const socket = connect({
      ...{ port, host: '127.0.0.1', servername: 'localhost', ca, cert: certificate, key },
    });
    const [word] = (await once(socket, 'data')) as [Buffer];
    return word.toString();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  } finally {
    listening.close();
  }
}

const before = makeMaterial();
const old = new Keys(before);
const sinceAnHour = rotateMaterial(before, 2 * HOUR, Date.now() - HOUR);

it('signs with the old authority until every replica knows the new one', () => {
  const keys = new Keys(rotateMaterial(before, HOUR));
  expect(keys.authority.certificate).toBe(before.certificate);
  expect([keys.trusted.match(/BEGIN/g)?.length, keys.chain]).toEqual([2, '']);
});

it('loses nobody in the overlap: machines of either authority that trust either one or both', async () => {
  const keys = new Keys(sinceAnHour);
  expect(new X509Certificate(keys.authority.certificate).fingerprint256).not.toBe(
    new X509Certificate(old.authority.certificate).fingerprint256,
  );
  for (const client of [old, keys]) {
    for (const ca of [old.trusted, keys.authority.certificate, keys.trusted]) {
      expect(await meet(keys, client, ca)).toBe('known');
    }
  }
});

it('knows the old authority no more when its time is over, or at once without an overlap', async () => {
  for (const after of [rotateMaterial(before, HOUR, Date.now() - 2 * HOUR), rotateMaterial(before, 0)]) {
    const keys = new Keys(after);
    expect(await meet(keys, old, keys.trusted)).toBe('stranger');
    expect(await meet(keys, keys, keys.trusted)).toBe('known');
    expect(await meet(keys, keys, old.trusted)).toMatch(/SIGNATURE|CERT/);
  }
});

it('takes up what another one stored', () => {
  const keys = new Keys(before);
  keys.take(sinceAnHour);
  expect(keys.authority.certificate).toBe(sinceAnHour.certificate);
});

it("rotates the key of Machines' tokens on its own: both count in the overlap, and the new one signs after a while", () => {
  const first = makeTokenMaterial();
  const [known] = new TokenKeys(first).all;
  const begun = new TokenKeys(rotateTokenMaterial(first, HOUR));
  expect(begun.signing).toEqual(known);
  expect(begun.all).toHaveLength(2);
  const under = new TokenKeys(rotateTokenMaterial(first, 2 * HOUR, Date.now() - HOUR));
  expect(under.signing).not.toEqual(known);
  expect(under.all[1]).toEqual(known);
  for (const after of [
    rotateTokenMaterial(first, HOUR, Date.now() - 2 * HOUR),
    rotateTokenMaterial(first, 0),
  ]) {
    expect(new TokenKeys(after).all).toHaveLength(1);
    expect(new TokenKeys(after).signing).not.toEqual(known);
  }
});
