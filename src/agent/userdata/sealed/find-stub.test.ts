import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readUserData } from '../read-user-data.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const FIELDS = {
  machine: '6ad2',
  expires: '2026-11-22T12:00:00Z',
  digest: DIGEST,
  part: 'controller',
  key: 'controller',
};
const TPM = {
  ...{ endorsementKey: DIGEST, pcrs: [0, 7] },
  ...{ public: 'AAAA', duplicate: 'AAAA', seed: 'AAAA' },
};

const read = (text: string) =>
  readUserData(Buffer.from(text), { source: 'test', metaData: {} }, { opensSealed: true });
const document = (fields: object) =>
  `apiVersion: slipway.dev/v1alpha1\nkind: SealedUserData\nsealed: ${JSON.stringify(fields)}\n`;
const cloudConfig = (fields: object) => `#cloud-config\nslipway: {sealed: ${JSON.stringify(fields)}}\n`;
const base64 = (text: string | Buffer) => `data:;base64,${Buffer.from(text).toString('base64')}`;
const ignition = (
  fields: object,
  more: object = {},
  encode: (text: string) => string = base64,
  compression?: string,
) =>
  JSON.stringify({
    ignition: { version: '3.0.0' },
    storage: {
      files: [
        {
          path: '/etc/slipway/sealed.yaml',
          contents: { source: encode(document(fields)), ...(compression ? { compression } : {}) },
        },
      ],
    },
    ...more,
  });
const mime = (...parts: string[]) =>
  `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n${parts
    .map((part) => `--x\nContent-Type: text/plain\n\n${part}`)
    .join('')}--x--\n`;

describe('a stub', () => {
  it.each([
    ['cloud-config', cloudConfig(FIELDS)],
    ['a document', document(FIELDS)],
    ['an Ignition config', ignition(FIELDS)],
    ['an Ignition config, escaped', ignition(FIELDS, {}, (text) => `data:,${encodeURIComponent(text)}`)],
    ['an Ignition config, compressed', ignition(FIELDS, {}, (text) => base64(gzipSync(text)), 'gzip')],
    ['a MIME part', mime(cloudConfig(FIELDS))],
    ['a document as a MIME part', mime(document(FIELDS))],
    ['base64', Buffer.from(cloudConfig(FIELDS)).toString('base64')],
  ])('is found in %s', async (_, text) => {
    const found = await read(text);
    expect(found.report).toEqual([]);
    expect(found.sealed).toEqual(FIELDS);
  });

  it('may hold the key for a TPM and name the controller', async () => {
    const controller = {
      endpoints: ['https://c.example:8443'],
      ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    };
    const fields = { ...FIELDS, part: 'data:;base64,AAAA', key: { tpm: TPM }, controller };
    expect((await read(cloudConfig(fields))).sealed).toEqual(fields);
  });

  it('stands alone', async () => {
    for (const text of [
      `${cloudConfig(FIELDS)}runcmd: [ls]\n`,
      cloudConfig(FIELDS).replace('{sealed', '{wipe: false, sealed'),
      mime(cloudConfig(FIELDS), '#!/bin/sh\nls\n'),
      ignition(FIELDS, { systemd: {} }),
    ]) {
      const { report, sealed } = await read(text);
      expect(sealed).toBeUndefined();
      expect(report).toMatchObject([
        { severity: 'error', message: expect.stringContaining('must be the only content') },
      ]);
      expect(report[0]?.where).toBeDefined();
    }
  });

  it.each<[string, object]>([
    ['machine', { machine: 'a\u0000b' }],
    ['machine', { machine: undefined }],
    ['expires', { expires: 'tomorrow' }],
    ['digest', { digest: 'md5:00' }],
    ['part', { part: '/etc/shadow' }],
    ['part', { part: 'file:///etc/shadow' }],
    ['part', { part: 'https://' }],
    ['key', { key: { vault: {} } }],
    ['key', { key: undefined }],
    ['seed', { key: { tpm: { ...TPM, seed: 'no base64!' } } }],
    ['pcrs', { key: { tpm: { ...TPM, pcrs: [24] } } }],
    ['endpoints', { controller: { endpoints: ['http://c'], ca: '-----BEGIN CERTIFICATE-----' } }],
    ['ca', { controller: { endpoints: ['https://c'] } }],
    ['mine is not known', { mine: 1 }],
  ])('with a bad %s says so at its place', async (name, change) => {
    const { report, sealed } = await read(cloudConfig({ ...FIELDS, ...change }));
    expect(sealed).toBeUndefined();
    expect(report).toMatchObject([
      { severity: 'error', message: expect.stringContaining(name), where: { line: 2 } },
    ]);
  });

  it('is in order where nobody opens it, and says that it is one', async () => {
    const { report } = await readUserData(Buffer.from(cloudConfig(FIELDS)), { source: 'test', metaData: {} });
    expect(report).toMatchObject([{ severity: 'warning', code: 'UserDataSealed' }]);
  });

  it('is not every text with the word', async () => {
    const found = await read('#cloud-config\nwrite_files: [{path: /sealed, content: sealed}]\n');
    expect(found.sealed).toBeUndefined();
    expect(found.files).toHaveLength(1);
  });
});
