import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../text/diagnostics.ts';
import { decodeUserData } from './decode.ts';

const CONFIG = '#cloud-config\nruncmd:\n- echo é\n';

function decode(bytes: Buffer | string) {
  const diagnostics = new Diagnostics();
  const parts = decodeUserData(Buffer.from(bytes), diagnostics);
  return { parts, entries: diagnostics.entries };
}

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64');

describe('one part', () => {
  test.each([
    ['plain', CONFIG],
    ['CRLF', CONFIG.replaceAll('\n', '\r\n')],
    ['white space and capitals before', `\n  ${CONFIG.replace('#cloud-config', '#Cloud-Config')}`],
    ['gzip', gzipSync(CONFIG)],
    ['gzip twice', gzipSync(gzipSync(CONFIG))],
    ['base64', base64(CONFIG)],
    ['base64 in lines', base64(CONFIG.repeat(9)).replace(/(.{76})/g, '$1\n')],
    ['base64 of base64', base64(base64(CONFIG))],
    ['base64 of gzip', base64(gzipSync(CONFIG))],
    ['gzip of base64', gzipSync(base64(CONFIG))],
  ])('%s', (_name, bytes) => {
    const { parts, entries } = decode(bytes);
    expect(entries.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(parts).toHaveLength(1);
    expect(parts?.[0]?.type).toBe('text/cloud-config');
    expect(parts?.[0]?.source.text).toContain('echo é\n');
    expect(parts?.[0]?.source.text).not.toContain('\r');
  });

  test.each([
    ['a byte order mark', `\ufeff${CONFIG}`],
    ['a byte order mark of a script', '\ufeff#!/bin/sh\necho é\n'],
    ['an empty line before a template', `\n## template: jinja\n${CONFIG}`],
    ['lines of a template that end with CR alone', `## template: jinja\n${CONFIG}`.replaceAll('\n', '\r')],
  ])('%s, with which cloud-init does nothing, is a warning', (_name, text) => {
    const { parts, entries } = decode(text);
    expect(parts?.[0]?.source.text).toContain('echo é\n');
    expect(entries).toMatchObject([{ severity: 'warning', code: 'UserDataInvalid', where: { line: 1 } }]);
  });

  test.each([
    ['## template: jinja\n#cloud-config\n', 'text/jinja2'],
    ['#!/bin/sh\n', 'text/x-shellscript'],
    ['#cloud-boothook\n#!/bin/sh\n', 'text/cloud-boothook'],
    ['#include\nhttp://x', 'text/x-include-url'],
    ['#cloud-config-archive\n', 'text/cloud-config-archive'],
  ])('%j is %s', (text, type) => {
    expect(decode(text).parts?.[0]?.type).toBe(type);
  });
});

test.each([
  ['nothing', '', 'UserDataEmpty'],
  ['white space', ' \n\t\n', 'UserDataEmpty'],
  ['truncated gzip', gzipSync(CONFIG.repeat(99)).subarray(0, 60), 'UserDataUndecodable'],
  [
    'damaged gzip',
    Buffer.concat([gzipSync(CONFIG).subarray(0, 20), Buffer.alloc(30, 7)]),
    'UserDataUndecodable',
  ],
  [
    'gzip in gzip in gzip in gzip in gzip',
    [1, 2, 3, 4, 5].reduce((data) => gzipSync(data), Buffer.from(CONFIG)),
    'UserDataUndecodable',
  ],
  ['a gzip bomb', gzipSync(Buffer.alloc(65 * 1024 * 1024)), 'UserDataTooLarge'],
  ['too much', Buffer.alloc(16 * 1024 * 1024 + 1, 0x20), 'UserDataTooLarge'],
  ['NUL', '#cloud-config\n\0', 'UserDataUndecodable'],
  ['latin-1', Buffer.from('#cloud-config\n# \xe9\n', 'latin1'), 'UserDataNotUtf8'],
  ['UTF-16', Buffer.from('\ufeff#cloud-config\n', 'utf16le'), 'UserDataNotUtf8'],
  ['no header', 'runcmd:\n- ls\n', 'UserDataFormatUnknown'],
  ['another JSON', '{"version": "3.4.0"}', 'UserDataFormatUnknown'],
  ['random base64', base64(Buffer.alloc(300, 0x93)), 'UserDataFormatUnknown'],
])('%s is refused as %3$s', (_name, bytes, code) => {
  const { parts, entries } = decode(bytes);
  expect(parts).toBeUndefined();
  expect(entries).toMatchObject([{ severity: 'error', code }]);
});

test('Ignition is known by its key', () => {
  for (const text of ['{"ignition": {}}', ' {"storage": {}, "ignition" : {}}'])
    expect(decode(text).parts).toMatchObject([{ type: 'application/vnd.coreos.ignition+json' }]);
});

const part = (headers: string, body: string): string => `--=B=\nContent-Type: ${headers}\n\n${body}\n`;
const mime = (...parts: string[]): string =>
  `Content-Type: multipart/mixed; boundary="=B="\nMIME-Version: 1.0\n\npreamble\n${parts.join('')}--=B=--\nepilogue\n`;

describe('MIME multipart', () => {
  test('parts with their types, names and places', () => {
    const { parts, entries } = decode(
      mime(
        part('text/cloud-config; charset="us-ascii"', CONFIG.replace('é', 'e')),
        part('text/x-shellscript\nContent-Disposition: attachment; filename="setup.sh"', '#!/bin/sh\nexit 0'),
        part('text/plain', '#cloud-config\na: 1'),
      ),
    );
    expect(entries).toEqual([]);
    expect(parts?.map(({ type, name }) => [type, name])).toEqual([
      ['text/cloud-config', 'part-001'],
      ['text/x-shellscript', 'setup.sh'],
      ['text/cloud-config', 'part-003'],
    ]);
    expect(parts?.[0]?.source.locate(0)).toEqual({ line: 8, column: 1 });
    expect(parts?.[1]?.source.text).toBe('#!/bin/sh\nexit 0');
  });

  test.each([
    ['base64', base64(CONFIG).replace(/(.{20})/g, '$1\n')],
    [
      'quoted-printable',
      CONFIG.replace('é', '=C3=A9').replace('echo', 'ec=\nho').replaceAll('\n- ', '  \n- '),
    ],
    ['8bit', CONFIG],
    ['Binary', CONFIG],
  ])('transfer encoding %s', (encoding, body) => {
    const { parts, entries } = decode(
      mime(part(`text/cloud-config\nContent-Transfer-Encoding: ${encoding}`, body)),
    );
    expect(entries.map(({ message }) => /non-ASCII characters/.test(message))).toEqual(
      ['8bit', 'Binary'].includes(encoding) ? [true] : [],
    );
    expect(parts?.[0]?.source.text).toContain('- echo é');
  });

  test('charset, gzip, nesting, CRLF', () => {
    const zipped = part('application/gzip\nContent-Transfer-Encoding: base64', base64(gzipSync(CONFIG)));
    const inner = mime(
      part(
        'text/cloud-config; charset=latin1\nContent-Transfer-Encoding: base64',
        base64(Buffer.from(CONFIG, 'latin1')),
      ),
    );
    const { parts } = decode(
      mime(zipped, `--=B=\n${inner.replaceAll('=B=', '=C=')}`).replaceAll('\n', '\r\n'),
    );
    expect(parts?.map(({ type }) => type)).toEqual(['text/cloud-config', 'text/cloud-config']);
    expect(parts?.map(({ source }) => source.text.includes('echo é'))).toEqual([true, true]);
  });

  test.each(['us-ascii', 'latin-1', 'iso-8859-15', 'shift_jis', 'utf-16'])(
    'UTF-8 that is said to be %s is UTF-8',
    (charset) => {
      const header = `text/cloud-config; charset="${charset}"\nContent-Transfer-Encoding: base64`;
      const { parts, entries } = decode(mime(part(header, base64(CONFIG))));
      expect(entries).toEqual([]);
      expect(parts?.[0]?.source.text).toContain('echo é');
    },
  );

  test('a charset that is not known is told, and UTF-8 is read as that', () => {
    const header = 'text/cloud-config; charset=klingon\nContent-Transfer-Encoding: base64';
    const { parts, entries } = decode(mime(part(header, base64(CONFIG))));
    expect(entries).toMatchObject([{ severity: 'warning', code: 'UserDataNotUtf8' }]);
    expect(parts?.[0]?.source.text).toContain('echo é');
  });

  test.each([
    ['utf-16le', Buffer.from('runcmd: [é]\n', 'utf16le')],
    ['iso-2022-jp', Buffer.from('runcmd: [\x1b$B$"\x1b(B]\n', 'latin1')],
    ['shift_jis', Buffer.from('runcmd: [\x82\xa0]\n', 'latin1')],
  ])('what is not UTF-8 is read as its charset says: %s', (charset, bytes) => {
    const header = `text/cloud-config; charset=${charset}\nContent-Transfer-Encoding: base64`;
    const { parts, entries } = decode(mime(part(header, base64(bytes))));
    expect(parts?.[0]?.source.text).toMatch(/^runcmd: \[[éあ]\]\n$/);
    expect(entries).toMatchObject([
      { severity: 'warning', message: 'MIME part 1 is not UTF-8, so cloud-init ignores it.' },
    ]);
  });

  test("a type that is none is found by the text, and a file name may be RFC 2231's", () => {
    const { parts } = decode(
      mime(
        part("cloud-config\nContent-Disposition: attachment; filename*=utf-8''b%C3%BC%20c", CONFIG),
        part('text/x-shellscript\nContent-Disposition: attachment; filename*=%zz', '#!/bin/sh'),
      ),
    );
    expect(parts?.map(({ type, name }) => [type, name])).toEqual([
      ['text/cloud-config', 'bü c'],
      ['text/x-shellscript', 'part-002'],
    ]);
  });

  test('without a closing boundary it ends with the text, as in Python, and that is told', () => {
    const text = CONFIG.replace('é', 'e');
    const open = mime(part('text/cloud-config', text)).replace(/--=B=--[\s\S]*/, '');
    const { parts, entries } = decode(open);
    expect(parts?.map(({ source }) => source.text.trim())).toEqual([text.trim()]);
    expect(entries).toMatchObject([{ severity: 'warning', code: 'UserDataUndecodable' }]);
  });

  test.each([
    ['no boundary named', 'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\nx\n', 'UserDataUndecodable'],
    [
      'boundary not there',
      'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=Q\n\nx\n',
      'UserDataUndecodable',
    ],
    [
      'unknown encoding',
      mime(part('text/cloud-config\nContent-Transfer-Encoding: x-uuencode', 'x')),
      'UserDataUndecodable',
    ],
    [
      'bad base64',
      mime(part('text/cloud-config\nContent-Transfer-Encoding: base64', '!!!')),
      'UserDataUndecodable',
    ],
    [
      'unknown charset',
      mime(part('text/cloud-config; charset=klingon\nContent-Transfer-Encoding: base64', '6Q==')),
      'UserDataNotUtf8',
    ],
    ['no parts', mime(), 'UserDataEmpty'],
    ['empty parts', mime(part('text/cloud-config', ' ')), 'UserDataEmpty'],
    [
      'too many parts',
      mime(...Array.from({ length: 300 }, () => part('text/plain', 'x'))),
      'UserDataTooLarge',
    ],
  ])('%s', (_name, text, code) => {
    const { parts, entries } = decode(text);
    expect(parts).toBeUndefined();
    expect(entries).toMatchObject([{ severity: 'error', code }]);
  });
});

test('says where the header stands that must be the first line', () => {
  expect(decode('users: []\r\n#cloud-config\r\n').entries).toMatchObject([
    { message: expect.stringContaining('#cloud-config is on line 2, but must be the first line.') },
  ]);
});

test.each([
  ['## template:jinja\n#cloud-config\n', 'it must be "## template: jinja"', 1],
  ['# template: jinja\n#cloud-config\n', 'it must be "## template: jinja"', 1],
  ['# cloud-config\nruncmd: [ls]\n', 'it must be #cloud-config', 1],
  ['\n#cloud_config\n', 'it must be #cloud-config', 2],
  ['---\n#cloud-config\n', '#cloud-config is on line 2', 1],
  ['runcmd: [ls]\n', 'its first line must be #cloud-config', 1],
  ['\n---\nruncmd: [ls]\n', 'its first line must be #cloud-config', 2],
  ['network: {version: 2}\n', 'network configuration', 1],
  ['ethernets: {}\n', 'network configuration', 1],
  ['instance-id: i\n', 'metadata', 1],
  ['variant: flatcar\nversion: 1.0.0\n', 'Butane', 1],
  ['apiVersion: v1\ndata: {value: eA==}\nkind: Secret\n', 'Kubernetes object (Secret)', 1],
  ['{\n  "apiVersion": "v1",\n  "kind": "Secret"\n}\n', 'Kubernetes object (Secret)', 1],
  ['# made by kubectl\napiVersion: v1\nkind: Secret\n', '.data.value}', 1],
  ['apiVersion: v1\nitems:\n- kind: Secret\nkind: List\n', '.data.value}', 1],
  ['apiVersion: cluster.x-k8s.io/v1beta1\nkind: Machine\n', 'management cluster', 1],
  [
    'apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\nspec:\n  preamble: |\n    #cloud-config\n',
    'dataSecretName',
    1,
  ],
  ['kind: KubeadmControlPlane\napiVersion: x/v1\n', 'management cluster', 1],
  ['apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\n', 'write_files in a cloud-config', 1],
  ['apiVersion: v1\nkind: ConfigMap\n', 'its bootstrap data Secret', 1],
  ['<!DOCTYPE html>\n<title>504</title>\n', 'an HTML page', 1],
  ['<?xml version="1.0"?>\n<Environment/>\n', 'OVF environment', 1],
  ['{"error": {"code": 404}}\n', 'a JSON error response', 1],
  ['404 Not Found\n', 'an error message of a program or server', 1],
  ['Error from server (NotFound): secrets "a" not found\n', 'an error message of a program or server', 1],
  ['-----BEGIN CERTIFICATE-----\n', 'a PEM key', 1],
  ['{{ .Values.userData }}\n', 'was not rendered', 1],
  ['version: v1alpha1\nmachine:\n  type: worker\n', 'Talos', 1],
  ['machine:\n  type: worker\n', 'Talos', 1],
  ['[settings.kubernetes]\na = 1\n', 'Bottlerocket', 1],
  ['k3os:\n  mode: live\n', 'another installer', 1],
  ['storage:\n  files: []\n', 'Ignition config with ct', 1],
  ['set -e\nkubeadm join x\n', 'its first line must be #!/bin/sh', 1],
  ['# Ours\nruncmd: [ls]\n', 'its first line must be #cloud-config', 1],
  ['# Joins\nkubeadm join x\n', 'its first line must be #!/bin/sh', 1],
  ['# Joins\n#!/bin/bash\nkubeadm join x\n', '#!/bin/bash on line 2 must be the first line', 1],
  [
    '[INFO] rendering\n\n#!/usr/bin/env bash\nset -e\n',
    '#!/usr/bin/env bash on line 3 must be the first line',
    1,
  ],
  [`${'H4sIAAAAAAAAA0vOyS9N0U3Oz0vLTAcAo'.repeat(2)}A\n`, 'looks like base64 that is truncated', 1],
  ['{"neither": 1}\n', 'user data usually begins with', 1],
  ['nonsense\n', 'user data usually begins with', 1],
])('says what an unknown first line reads like: %j', (text, hint, line) => {
  expect(decode(text).entries).toMatchObject([
    {
      code: 'UserDataFormatUnknown',
      message: expect.stringContaining(hint),
      where: { line, column: 1 },
    },
  ]);
});

const SCRIPT = '#!/bin/sh\nkubeadm join x\n';
const zip = (bytes: Buffer | string) => gzipSync(bytes);
const b64 = (bytes: Buffer | string) => Buffer.from(Buffer.from(bytes).toString('base64'));

test.each([
  [
    'spaces before #!',
    Buffer.from(`  ${SCRIPT}`),
    /has spaces before #!, so cloud-init does not run this script/,
  ],
  ['an empty line before #!', Buffer.from(`\n${SCRIPT}`), /has spaces before #!/],
  [
    'blanks in a part',
    Buffer.from(mime(part('text/x-shellscript', `\n ${SCRIPT}`))),
    /^MIME part 1 has spaces before #!/,
  ],
  ['gzip twice', zip(zip(SCRIPT)), /wrapped more than once \(gzip, in it gzip\)/],
  ['base64 twice', b64(b64(SCRIPT)), /wrapped more than once/],
  [
    'gzip and base64 around each other',
    zip(b64(zip(b64(SCRIPT)))),
    /\(gzip, in it base64, in it gzip, in it base64\)/,
  ],
])('warns of what cloud-init does not act upon: %s', (_what, bytes, told) => {
  const diagnostics = new Diagnostics();
  expect(decodeUserData(bytes, diagnostics)).toHaveLength(1);
  expect(diagnostics.entries).toMatchObject([{ severity: 'warning', message: expect.stringMatching(told) }]);
});

test.each([
  ['as it is', Buffer.from(SCRIPT)],
  ['gzip', zip(SCRIPT)],
  ['base64', b64(SCRIPT)],
  ['base64 of gzip', b64(zip(SCRIPT))],
])('has nothing to say of a script in %s', (_how, bytes) => {
  const diagnostics = new Diagnostics();
  expect(decodeUserData(bytes, diagnostics)).toHaveLength(1);
  expect(diagnostics.entries).toEqual([]);
});
