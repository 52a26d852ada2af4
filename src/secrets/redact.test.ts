import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor, redact, redactAll } from './redact.ts';
import { RULES, rulesFor } from './rules.ts';

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
    ['the program for passwords', 'chpasswd: a line is wrong', 'chpasswd: a line is wrong'],
    ['a name that only looks like that program', 'chpassword=geheim1234', 'chpassword=[redacted]'],
    ['a setting of its name', 'chpasswd=geheim1234', 'chpasswd=[redacted]'],
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
    ["Slipway's token of a pool", `token: slwt.0123456789.${'Ab3_-x9Z'.repeat(4)}`, 'token: slwt.[redacted]'],
    ["Slipway's token of a Machine", `slwm.${'Ab3_'.repeat(7)}.${'x9-Z'.repeat(10)} y`, 'slwm.[redacted] y'],
    [
      "Slipway's token of a MachinePool",
      `slwp.${'Ab3_'.repeat(7)}.${'x9-Z'.repeat(10)} y`,
      'slwp.[redacted] y',
    ],
    [
      'a token of GitHub',
      `clone https://ghp_${'a1B2'.repeat(9)}@github.com/a`,
      'clone https://[redacted]@github.com/a',
    ],
    ['a fine-grained token of GitHub', `x github_pat_${'a1B2_'.repeat(16)}`, 'x [redacted]'],
    ['a token of GitLab', 'glpat-Ab1_Cd2-Ef3Gh4Ij5Kl6 x', '[redacted] x'],
    ["a key's id of AWS", 'id AKIAIOSFODNN7EXAMPLE.', 'id [redacted].'],
    [
      'a secret key of AWS',
      'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG',
      'aws_secret_access_key = [redacted]',
    ],
    ['a token in a query', 'GET /join?a=1&token=pl4nted&b=2', 'GET /join?a=1&token=[redacted]&b=2'],
    [
      'a signature in a query',
      'https://a.blob/x?sv=1&sig=aB%2Fc&se=2',
      'https://a.blob/x?sv=1&sig=[redacted]&se=2',
    ],
    [
      "a signature for a registry's content delivery network, as a container runtime tells it",
      'Get "https://a.cdn/x?Expires=1&Signature=AbC~d-E_f&Key-Pair-Id=K1": EOF',
      'Get "https://a.cdn/x?Expires=1&Signature=[redacted]&Key-Pair-Id=K1": EOF',
    ],
    ['a token flag', 'login --token pl4nted host', 'login --token [redacted] host'],
    ['a token in JSON', '{"token": "pl4 nted", "x": 1}', '{"token": [redacted], "x": 1}'],
    [
      'a token in JSON in JSON',
      String.raw`"{\"token\": \"pl4 nted\", \"x\": 1}"`,
      String.raw`"{\"token\": [redacted]\", \"x\": 1}"`,
    ],
    ['a token of a YAML file', 'token: pl4nted-pl4nted-x', 'token: [redacted]'],
    ['a header of an unknown kind', 'Authorization: Custom pl4nted', 'Authorization: [redacted]'],
    ['a header with a token', 'X-Auth-Token: pl4nted', 'X-Auth-Token: [redacted]'],
    ['a cookie', 'Cookie: session=pl4nted; a=b', 'Cookie: [redacted]'],
    ['a password with an @ in a URL', 'http://u:p@ss:w@host/x', 'http://u:[redacted]@host/x'],
    ['a value that was cut off', 'password="hunt', 'password=[redacted]'],
    [
      'base64 of a key in the middle',
      `x${Buffer.from('a\n-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE').toString('base64')}`,
      'xYQo[redacted]',
    ],
    [
      'a malformed token',
      'bootstrapToken.token: Invalid value: "abcdef.short": bad',
      'bootstrapToken.token: Invalid value: "[redacted]": bad',
    ],
    [
      'a malformed token in a field whose name alone means a secret',
      'discovery.tlsBootstrapToken: Invalid value: "abcdef.0123456789abcde": bad',
      'discovery.tlsBootstrapToken: Invalid value: "[redacted]": bad',
    ],
    [
      'a value behind the name of a phase',
      'bootstrap-token: abcdefghijklmnop, bootstrap-token: hunter2 or not, bootstrap_token=plain words',
      'bootstrap-token: [redacted], bootstrap-token: [redacted] or not, bootstrap_token=[redacted] words',
    ],
    [
      'a token behind the name of a phase',
      'bootstrap-token: abcdef.abcdefghijklmnop is not known',
      'bootstrap-token: abcdef.[redacted] is not known',
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
    'error: token: not found, or the token expired',
    'the flag --token is required, --discovery-token or --discovery-file must be set',
    '--token-ttl 24h0m0s --discovery-token-unsafe-skip-ca-verification',
    'secret "my-token" not found; secrets "x" is forbidden',
    'failed to get secret: context deadline exceeded',
    'error execution phase bootstrap-token: timed out waiting for the condition',
    "error execution phase bootstrap-token: couldn't create the role: etcdserver: leader changed",
    'error execution phase bootstrap-token: error allowing bootstrap tokens to post CSRs: context deadline exceeded',
    'error execution phase bootstrap-token: clusterrolebindings.rbac.authorization.k8s.io is forbidden',
    'tokenFile: /etc/slipway/token, --token=/var/run/secrets/token',
    '--authorization-mode=Node,RBAC',
    'https://user@registry.example.org/v2/',
  ])('leaves %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('leaves the rules out only where none of them would do anything', () => {
    const words = [
      ...[
        'abcdef.',
        '0123456789abcdef',
        'token',
        'TOKEN',
        ' = ',
        ': ',
        '"',
        "'",
        '\\"',
        '--',
        '-',
        '_',
        ' ',
        '\n',
        '.',
      ],
      ...[
        'eyJhbGciOiJIUzI1NiJ9',
        '$6$',
        'aB3./x:1',
        'certificate key:',
        'c0ffee01'.repeat(8),
        'https://u:',
        'p@h',
        '//',
      ],
      ...[
        '-----BEGIN EC PRIVATE KEY-----',
        '-----END EC PRIVATE KEY-----',
        'LS0tLS1CRUdJTiBFQyBQUklWQVRF',
        'slwt.',
        'auth',
      ],
      ...[
        'ghp_',
        'glpat-',
        'AKIA',
        'AIza',
        'xoxb-',
        'npm_',
        'dckr_pat_',
        'pypi-AgEI',
        'hvs.',
        'sk_live_',
        'Bearer ',
      ],
      ...[
        'Cookie',
        'x-a-',
        'key',
        'Secret',
        'passwd',
        'signature',
        'credential',
        '&sig=',
        'dockerconfigjson',
        '\u017f',
      ],
      ...[
        'error found in #1 byte of ',
        'Invalid value: ',
        'A1b2C3d4E5f6G7h8',
        'IOSFODNN7EXAMPLE',
        'AGE-SECRET-KEY-1',
      ],
      ...RULES.flatMap(({ words = [], needs = [] }) => [...words, ...needs]),
    ];
    const texts = fc.array(fc.oneof(fc.constantFrom(...words), printable), { maxLength: 8 });
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        expect(redact(text)).toBe(redactAll(text));
        const leftOut = RULES.filter((rule) => !rulesFor(text).includes(rule));
        expect(leftOut.filter(({ pattern }) => text.search(pattern()) >= 0)).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
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
    expect(redact(`X-Auth-Token: hunter2 x-${'a'.repeat(40)}-key: other`)).toMatch(
      /Token: \[redacted\] .*: other$/,
    );
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
      ...[
        '--a-',
        '--token-',
        'x-token-',
        'token\\',
        '--token',
        '--token ',
        'token=',
        'token="',
        "token='",
        'token=\\"',
        'token: a',
        'secret: -',
      ],
      ...[
        'ghp_',
        'glpat-',
        'slwt.',
        'slwm.a',
        'AKIA',
        'x-a',
        'x-token:',
        'cookie:',
        '://a',
        'a://a:',
        'a://a@',
      ],
      ...[
        'password="\\',
        'api_key',
        'auth="',
        '$6$',
        'token: Invalid value: ',
        'certificate key: ',
        '-----BEGIN A',
      ],
      ...['Authorization: ', 'Authorization:  ', 'LS0t', 'bearer ', 'error found in #1 byte of'],
    ])
      expect(redact(unit.repeat(100_000)).length).toBeGreaterThan(0);
  });
});
