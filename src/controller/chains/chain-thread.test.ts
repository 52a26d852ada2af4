import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { exponentAsLongAsModulus } from '../../../test/support/tls/expensive-chain.ts';
import {
  authorityExtensions,
  extension,
  testCertificate,
} from '../../../test/support/tls/test-certificate.ts';
import { oid, sequence } from '../../pki/der.ts';
import { OID } from '../../pki/oids.ts';
import { endorsementKeyId, readEkCertificate } from '../../tpm/evidence/endorsement.ts';
import { ChainThread } from './chain-thread.ts';
import { startWorker } from './start-worker.ts';

const recorded: { nv: string; issuer: string; root: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../tpm/evidence/fixtures/endorsement.json'), 'utf8'),
);
const certificate = readEkCertificate(Buffer.from(recorded.nv, 'hex'));
const issuer = new X509Certificate(recorded.issuer);
const address = '192.0.2.1';
const shown = { key: endorsementKeyId(certificate.publicKey), certificates: certificate.raw, address };

/** A thread of which a test decides what it answers. */
class Silent extends EventEmitter {
  isTerminated = false;
  asked = 0;

  postMessage(): void {
    this.asked += 1;
  }

  terminate(): Promise<number> {
    this.isTerminated = true;
    return Promise.resolve(1);
  }
}

function silent(limits: ConstructorParameters<typeof ChainThread>[0]) {
  const started: Silent[] = [];
  const thread = new ChainThread(limits, () => {
    const one = new Silent();
    started.push(one);
    return one as unknown as Worker;
  });
  return { thread, started };
}

function threadOfItsOwn(): ChainThread {
  let worker: Worker | undefined;
  onTestFinished(async () => void (await worker?.terminate()));
  return new ChainThread({}, () => {
    worker = startWorker();
    return worker;
  });
}

it('asks its thread whose maker is trusted', async () => {
  const thread = threadOfItsOwn();
  const why = await thread.whyUntrusted(shown, [issuer]);
  // The recorded certificate ends some day.
  expect(why ?? '').toMatch(/^$|is not valid at/);
  expect(await thread.whyUntrusted(shown, [new X509Certificate(recorded.root)])).toMatch(
    /does not lead to a trusted authority|is not valid at/,
  );
  expect(await thread.whyUntrusted({ ...shown, certificates: undefined }, [issuer])).toMatch(
    /no certificate/,
  );
});

it('spends hardly any time on a chain that would cost as much as possible', async () => {
  const [monster, own] = [exponentAsLongAsModulus(), generateKeyPairSync('ec', { namedCurve: 'P-256' })];
  const publicKey = createPublicKey(monster);
  const certificates = Array.from({ length: 6 }, (_, at) =>
    testCertificate({
      ...{ subject: `c${at}`, issuer: `c${at + 1}`, signedBy: monster },
      publicKey: at === 0 ? own.publicKey : publicKey,
      extensions:
        at === 0
          ? [extension(OID.extendedKeyUsage, false, sequence(oid('2.23.133.8.1')))]
          : authorityExtensions(),
    }),
  );
  const [root] = certificates.slice(-1).map((der) => new X509Certificate(der));
  const question = {
    ...{ key: endorsementKeyId(own.publicKey), address },
    certificates: Buffer.concat(certificates.slice(0, -1)),
  };
  const why = await threadOfItsOwn().whyUntrusted(question, root ? [root] : []);
  expect(why).toMatch(/exponent other than 65537/);
});

it('ends the thread that takes too long, says nothing against the machine, and goes on with another', async () => {
  const { thread, started } = silent({ mostMs: 30 });
  const [first, second] = [thread.whyUntrusted(shown, [issuer]), thread.whyUntrusted(shown, [issuer])];
  await expect(first).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 5_000 });
  expect([started.length, started[0]?.isTerminated]).toEqual([2, true]);
  // What the ended one says counts no longer.
  started[0]?.emit('message', { why: undefined, ms: 1 });
  started[1]?.emit('message', { why: 'a reason', ms: 1 });
  expect(await second).toBe('a reason');
});

it('goes on with another thread where one has failed', async () => {
  const { thread, started } = silent({});
  const [first, second] = [thread.whyUntrusted(shown, [issuer]), thread.whyUntrusted(shown, [issuer])];
  started[0]?.emit('error', new Error('no memory'));
  await expect(first).rejects.toMatchObject({ code: 'unavailable' });
  started[1]?.emit('message', { why: undefined, ms: 1 });
  expect(await second).toBeUndefined();
});

it('gives each address so much of the thread, and lets so many of its chains wait', async () => {
  const { thread, started } = silent({ perAddress: { perSecond: 1, burst: 100 }, waitingOfAddress: 2 });
  const ask = (from: string) => thread.whyUntrusted({ ...shown, address: from }, [issuer]);
  const asked = [ask('a'), ask('a'), ask('a')];
  await expect(ask('a')).rejects.toMatchObject({ code: 'slow-down' });
  const other = ask('b');
  for (let at = 0; at < 4; at += 1) started[0]?.emit('message', { why: undefined, ms: 60 });
  expect(await Promise.all([...asked, other])).toHaveLength(4);
  await expect(ask('a')).rejects.toMatchObject({ code: 'slow-down' });
  const again = ask('b');
  started[0]?.emit('message', { why: undefined, ms: 1 });
  expect(await again).toBeUndefined();
});
