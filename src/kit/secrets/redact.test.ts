import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor, redact } from './redact.ts';

const lower = (length: number) => fc.stringMatching(new RegExp(`^[a-z0-9]{${length}}$`));
const printable = fc.stringMatching(/^[ -~]{0,40}$/);

describe('redact', () => {
  it.each([
    ['a bootstrap token', '--token abcdef.0123456789abcdef', '--token abcdef.[redacted]'],
    ['a token in a sentence', 'token "abcdef.0123456789abcdef".', 'token "abcdef.[redacted]".'],
    [
      'a certificate key flag',
      `--certificate-key ${'a1'.repeat(32)} -v5`,
      '--certificate-key [redacted] -v5',
    ],
    ['a certificate key with =', `--certificate-key=${'a1'.repeat(32)}`, '--certificate-key=[redacted]'],
    ['a certificate key in YAML', `certificateKey: "${'a1'.repeat(32)}"`, 'certificateKey: "[redacted]"'],
    ['a certificate key in JSON', `"certificateKey":"${'a1'.repeat(32)}"`, '"certificateKey":"[redacted]"'],
    ['a password', 'mount -o user=u,password=hunter2,ro', 'mount -o user=u,password=[redacted],ro'],
    ['a password in JSON', '{"db_password": "a b", "x": 1}', '{"db_password": [redacted], "x": 1}'],
    ['a password flag', 'login --password hunter2 host', 'login --password [redacted] host'],
    [
      "a registry's credentials",
      '{"auths": {"r.example": {"auth": "dXNlcjpwYXNz"}}}',
      '{"auths": {"r.example": {"auth": "[redacted]"}}}',
    ],
    ['a hash of a password', 'ops:$6$rounds=5000$salt$aB3./x:1::', 'ops:[redacted]:1::'],
    ['a yescrypt hash', "'$y$j9T$salt$hash.hash'", "'[redacted]'"],
    ['a header', 'Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
    ['basic authentication', "-H 'authorization: basic dTpw'", "-H 'authorization: basic [redacted]'"],
    [
      'a proxy with a password',
      'https_proxy=http://u:p4ss@proxy:3128/',
      'https_proxy=http://u:[redacted]@proxy:3128/',
    ],
    ['a JWT', `jws eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'Ab3_-'.repeat(5)} x`, 'jws [redacted] x'],
    ['a detached JWS', `eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..${'Ab3_-'.repeat(5)}`, '[redacted]'],
    [
      'a malformed token',
      'bootstrapToken.token: Invalid value: "abcdef.short": bad',
      'bootstrapToken.token: Invalid value: "[redacted]": bad',
    ],
    [
      "a decoder's context",
      'error found in #10 byte of ...|f0123"},"x|...',
      'error found in #10 byte of [redacted]',
    ],
  ])('cuts out %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    `--discovery-token-ca-cert-hash sha256:${'0123456789abcdef'.repeat(4)}`,
    'error: auth: Unauthorized',
    'dial tcp 192.0.2.10:6443: connect: connection refused',
    'kube-apiserver.kubernetes-system is up',
    'image registry.example.org/pause:3.10 (sha256:abc)',
    'https://192.0.2.1:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s',
    'version.0123456789abcdef01',
    'could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
    'unix:///run/containerd/containerd.sock',
  ])('leaves %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('cuts out the certificate key that kubeadm announced in the line before', () => {
    const key = 'c0ffee0123456789'.repeat(4);
    const journal = 'Nov 22 00:00:01 cp1 slipway[7]: ';
    for (const before of ['', journal]) {
      const told = `${before}[upload-certs] Using certificate key:\n${before}between\n${before}${key}\n${before}${key}`;
      expect(redact(told).split('\n').slice(1)).toEqual([
        `${before}between`,
        `${before}[redacted]`,
        `${before}${key}`,
      ]);
    }
  });

  it('drops private keys, however they are printed, and goes on after them', () => {
    for (const type of ['pkcs1', 'pkcs8'] as const) {
      const { privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        privateKeyEncoding: { type, format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      });
      const body = privateKey.split('\n').slice(1, -2);
      const shown = [
        redact(`before\n${privateKey}after`),
        redact(`key: |\n${privateKey.replace(/^/gm, '  ')}\nafter`),
        redact(`{"key":${JSON.stringify(privateKey)}}\nafter`),
        redact(`content: ${Buffer.from(privateKey).toString('base64')}\nafter`),
      ];
      for (const text of shown) {
        expect(text).toContain('after');
        for (const line of body) expect(text).not.toContain(line);
      }
    }
  });

  it('does not swallow what follows a key that was cut off', () => {
    const redactor = new Redactor();
    const lines = [
      '-----BEGIN EC PRIVATE KEY-----',
      'MHcCAQEE',
      '[kubelet-start] Starting the kubelet',
      'done',
    ];
    expect(lines.map((line) => redactor.line(line))).toEqual([
      '[redacted EC PRIVATE KEY]',
      undefined,
      '[kubelet-start] Starting the kubelet',
      'done',
    ]);
  });

  it('lets no secret through, whatever stands around it', () => {
    const edge = printable.map((text) => text.replace(/[\w.]$/, ' '));
    const after = printable.map((text) => text.replace(/^\w/, ' '));
    fc.assert(
      fc.property(edge, lower(6), lower(16), after, (before, id, secret, behind) => {
        fc.pre(!before.includes(secret) && !behind.includes(secret));
        return !redact(`${before}${id}.${secret}${behind}`).includes(secret);
      }),
    );
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9a-f]{64}$/),
        fc.constantFrom(' ', '=', ': ', '="', "='"),
        (key, joint) => !redact(`x --certificate-key${joint}${key} y`).includes(key),
      ),
    );
  });

  it('is at its end after one pass, and keeps text without secrets', () => {
    fc.assert(fc.property(fc.string(), (text) => redact(redact(text)) === redact(text)));
    fc.assert(fc.property(fc.stringMatching(/^[a-z ,;()]{0,80}$/), (text) => redact(text) === text));
  });

  it('finds secrets in the middle of long words', () => {
    const token = `eyJhbGciOi.eyJpc3MiOi.${'s'.repeat(20)}`;
    for (const before of ['', 'x-', 'a.eyJ-', 'eyJ-', '-', 'x'.repeat(5_000).concat('-')])
      expect(redact(`${before}${token} y`)).toMatch(/\[redacted\] y$/);
    expect(redact(`${'a-'.repeat(50)}db-password=hunter2 y`)).toMatch(/password=\[redacted\] y$/);
    expect(redact('--my-client-secret hunter2')).toBe('--my-client-secret [redacted]');
    expect(redact('a.b.https://u:p4ss@h')).toBe('a.b.https://u:[redacted]@h');
    const pem = '-----BEGIN PRIVATE KEY-----MIIB-----END PRIVATE KEY-----';
    expect(redact(`a ${pem.repeat(3)} b`)).not.toContain('MIIB');
  });

  // What takes a time that grows with more than the length would outlast the test's minute by far.
  it('ends on long lines that nearly match', () => {
    for (const unit of [
      ...[
        'a-',
        '-',
        '--',
        'eyJ-',
        'xeyJ',
        'eyJaaaaa.',
        'PRIVATE KEY',
        'token',
        '-----BEGIN PRIVATE KEY-----',
      ],
      ...['--password-', 'a:', 'password="'],
      'eyJ',
      'password',
      'LS0tLS1CRUdJTi',
      'https://',
      'a.',
      '-----BEGIN ',
      'Authorization: Bearer ',
    ])
      expect(redact(unit.repeat(100_000)).length).toBeGreaterThan(0);
  });
});
