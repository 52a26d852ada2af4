import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Diagnostics } from '../../text/diagnostics.ts';
import { decodeUserData } from './decode.ts';

function told(bytes: Buffer) {
  const diagnostics = new Diagnostics();
  expect(decodeUserData(bytes, diagnostics)).toBeUndefined();
  return diagnostics.entries;
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const part = (encoding: string, body: string): Buffer =>
  latin1(
    `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: text/cloud-config\n${encoding}\n${body}\n--B--\n`,
  );

test.each([
  ['in a line', latin1('#cloud-config\r\n# a\xe9(\n'), { line: 2, column: 4 }],
  [
    'behind letters of several bytes',
    Buffer.from([...Buffer.from('#!/bin/sh\n€🚢'), 0xfc, 0x0a]),
    { line: 2, column: 4 },
  ],
  [
    'behind a byte order mark',
    Buffer.from([...Buffer.from('\ufeff#!é'), 0xfc, 0x0a]),
    { line: 1, column: 4 },
  ],
  ['in a part of a multipart', part('', 'a: 1\nb: \xe9\n'), { line: 8, column: 4 }],
  [
    'in a part that is encoded',
    part('Content-Transfer-Encoding: base64\n', latin1('a: 1\nb: \xe9\n').toString('base64')),
    { line: 2, column: 4 },
  ],
])('the first byte that is no UTF-8 has its place: %s', (_name, bytes, where) => {
  expect(told(bytes)).toMatchObject([{ severity: 'error', code: 'UserDataNotUtf8', where }]);
  expect(told(bytes)[0]?.message).toMatch(/ is not UTF-8 .* Latin-1/);
});

test('a place within what was encoded is told as such', () => {
  const bytes = part('Content-Transfer-Encoding: base64\n', latin1('\xe9').toString('base64'));
  expect(told(bytes)[0]?.message).toContain('(counted in MIME part 1, decoded)');
});

test.each([
  ['UTF-16', Buffer.from('\ufeff#cloud-config\n', 'utf16le'), 'is UTF-16 (it begins with the bytes FF FE)'],
  [
    'UTF-16 without mark',
    Buffer.from('#cloud-config\n', 'utf16le'),
    'looks like UTF-16 without a byte order mark',
  ],
  ['UTF-32', Buffer.from('fffe000023000000', 'hex'), 'is UTF-32'],
  ['zstd', Buffer.from('28b52ffd04001900', 'hex'), 'is compressed with zstd, which is not supported'],
  [
    'gzip in a field of text',
    Buffer.from(gzipSync('#cloud-config\n').toString('utf8')),
    'gzip data destroyed by reading it as UTF-8',
  ],
  [
    'gzip as Latin-1',
    Buffer.from(gzipSync('#cloud-config\n').toString('latin1')),
    'gzip data that was read as Latin-1',
  ],
])('%s is called by its name', (_name, bytes, words) => {
  expect(told(bytes)).toMatchObject([
    { code: 'UserDataNotUtf8', message: expect.stringContaining(words), where: { line: 1, column: 1 } },
  ]);
});

test('what ends within a letter was cut off, and a NUL has its place', () => {
  const cut = Buffer.from('#cloud-config\n# é€').subarray(0, -1);
  expect(told(cut)).toMatchObject([{ code: 'UserDataUndecodable', where: { line: 2, column: 4 } }]);
  expect(told(Buffer.from('#cloud-config\nab\0\n'))).toMatchObject([
    { code: 'UserDataUndecodable', where: { line: 2, column: 3 } },
  ]);
  expect(told(latin1('#cloud-config\n# caf\xe9'))).toMatchObject([{ code: 'UserDataNotUtf8' }]);
  expect(told(latin1('#!\x01\xe9'))[0]?.message).toContain('it is binary, or damaged');
});
