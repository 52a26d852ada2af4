import { afterEach, beforeEach, expect, it } from 'vitest';
import { ReportReceiver } from '../../../test/support/controller/report-receiver.ts';
import { onDisk } from '../../../test/support/full-disk.ts';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { CHECKIN_PATH, CHECKIN_VERSION } from '../../protocol/check-in/check-in.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { requestWithProof } from './request-with-proof.ts';

const TOKEN = 'abcdef.0123456789abcdef';

let folder: string;
let receiver: ReportReceiver;
let isFull: boolean;

beforeEach(async () => {
  folder = scratch();
  receiver = new ReportReceiver();
  receiver.tokens.add(TOKEN);
  await receiver.start();
  isFull = false;
});
afterEach(() => receiver.stop());

function ask() {
  const host = createLinuxHost({ root: folder });
  return requestWithProof(
    { ...host, files: onDisk(host.files, () => isFull) },
    {
      server: { ca: receiver.ca },
      endpoint: receiver.url,
      machine: { instance: 'i-1', hostname: 'node-1' },
      enrolmentMethod: { token: TOKEN },
    },
    { path: CHECKIN_PATH, body: { version: CHECKIN_VERSION }, purpose: 'test' },
  );
}

it('spends no token for a key that the disk refuses, because the reporter could not enrol any more', async () => {
  isFull = true;
  await expect(ask()).rejects.toMatchObject({ errno: 'ENOSPC' });
  expect(receiver.enrolled).toEqual([]);
  isFull = false;
  expect(await ask()).toMatchObject({ status: 200 });
});

it('asks for no other certificate in the place of one that counts no longer while the disk is full', async () => {
  await ask();
  receiver.revokeAll();
  isFull = true;
  await expect(ask()).rejects.toMatchObject({ errno: 'ENOSPC' });
  expect(receiver.enrolled).toEqual([]);
  isFull = false;
  expect(await ask()).toMatchObject({ status: 200 });
  expect(receiver.enrolled).toEqual(['i-1']);
});
