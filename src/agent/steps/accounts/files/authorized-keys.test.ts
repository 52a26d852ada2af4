import { describe, expect, it } from 'vitest';
import { keyOf, keysPath, withKeys } from './authorized-keys.ts';

const A = 'ssh-ed25519 AAAAC3NzaA';
const B = 'ecdsa-sha2-nistp256 AAAAE2VjZB';

describe('keyOf', () => {
  it.each([
    [A, 'AAAAC3NzaA'],
    [`${A} a comment`, 'AAAAC3NzaA'],
    [`no-pty,command="/bin/echo a b" ${B} x`, 'AAAAE2VjZB'],
    ['sk-ssh-ed25519@openssh.com AAAAGnNr', 'AAAAGnNr'],
    ['ssh-ed25519-cert-v01@openssh.com AAAAIHNz me', 'AAAAIHNz'],
  ])('finds the key in %s', (line, key) => {
    expect(keyOf(line)).toBe(key);
  });

  it.each([
    '',
    '# ssh-rsa AAAA',
    'ssh-rsa',
    'hello world',
    'ssh-foo AAAA',
    '-----BEGIN OPENSSH PRIVATE KEY-----',
  ])('finds none in %j', (line) => {
    expect(keyOf(line)).toBeUndefined();
  });
});

describe('withKeys', () => {
  it('adds new keys once, in order, and leaves out what is none', () => {
    expect(withKeys('', [A, 'nonsense', `${B} b`, `${A} again`])).toBe(`${A} again\n${B} b\n`);
  });

  it.each([
    ['ssh-rsa \t AAAA==   a  b ', 'ssh-rsa AAAA== a  b'],
    ['ssh-rsa AAAA...', 'ssh-rsa AAAA...'],
    [
      'command="echo \\"ssh-rsa x\\"",no-pty  ssh-ed25519  AAAA',
      'command="echo \\"ssh-rsa x\\"",no-pty ssh-ed25519 AAAA',
    ],
    ['sk-ssh-ed25519-cert-v01@openssh.com AAAA me', 'sk-ssh-ed25519-cert-v01@openssh.com AAAA me'],
    ['ssh-rsa AAAA me\nssh-rsa BBBB you', 'ssh-rsa AAAA me\nssh-rsa BBBB you'],
  ])('writes %j as cloud-init does', (key, line) => {
    expect(withKeys('', [key])).toBe(`${line}\n`);
    expect(withKeys(`${line}\n`, [key])).toBe(`${line}\n`);
  });

  it('leaves a line with returns as it is, however long', () => {
    const present = `ssh-rsa ${'A'.repeat(1_000_000)}\rx\ry\n`;
    // Not toBe on the texts: a failure would print all of them.
    expect(withKeys(present, [A]) === `${present}${A}\n`).toBe(true);
  });

  it('replaces the line of the same key where it stands and keeps everything else', () => {
    const present = `# mine\n${A} old\n\nunknown line\n`;
    expect(withKeys(present, [B, `${A} new`])).toBe(`# mine\n${A} new\n\nunknown line\n${B}\n`);
  });

  it('ends a last line that has no end, and changes nothing the second time', () => {
    const once = withKeys('# no line end', [A]);
    expect(once).toBe(`# no line end\n${A}\n`);
    expect(withKeys(once, [A])).toBe(once);
  });
});

describe('keysPath', () => {
  const path = (config: string) => keysPath(config, 'ann', '/home/ann');

  it('looks once at empty lines', () => {
    expect(path('\n'.repeat(3_000_000))).toBe('/home/ann/.ssh/authorized_keys');
  });

  it('is the default without a setting, or with one that is nobody’s own', () => {
    expect(path('')).toBe('/home/ann/.ssh/authorized_keys');
    expect(path('#AuthorizedKeysFile /elsewhere/%u')).toBe('/home/ann/.ssh/authorized_keys');
    expect(path('AuthorizedKeysFile none')).toBe('/home/ann/.ssh/authorized_keys');
    expect(path('AuthorizedKeysFile /etc/ssh/all_keys')).toBe('/home/ann/.ssh/authorized_keys');
  });

  it('follows sshd to the first file that is the user’s own', () => {
    expect(path('Port 22\nauthorizedkeysfile /etc/all /etc/ssh/keys/%u .ssh/x\n')).toBe('/etc/ssh/keys/ann');
    expect(path('AuthorizedKeysFile .ssh/authorized_keys2')).toBe('/home/ann/.ssh/authorized_keys2');
    expect(path('AuthorizedKeysFile %h/100%%')).toBe('/home/ann/100%');
  });
});
