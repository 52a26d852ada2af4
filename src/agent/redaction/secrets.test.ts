import { describe, expect, it } from 'vitest';
import { secretsIn } from './secrets.ts';

const frame = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;

describe('secretsIn', () => {
  it.each(['SETTINGS', 'CERTIFICATE', 'PGP MESSAGE'])('finds a setting within the frame of a %s', (label) => {
    expect(secretsIn(frame(label, 'password=S3595f371ae549'))).toContain('S3595f371ae549');
  });

  it.each(['RSA PRIVATE KEY', 'NEBULA ED25519 PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])(
    'finds the lines of a %s',
    (label) => {
      const line = 'MC4CAQAwBQYDK2VwBCIEIJ5Hx0Lm3V7Zq2gk';
      expect(secretsIn(frame(label, line))).toContain(line);
    },
  );

  it('is at its end with a frame of a million empty lines', () => {
    expect(secretsIn(`-----BEGIN PUBLIC KEY-----${'\n'.repeat(1e6)}`)).toEqual([]);
  });

  it('is at its end with a private key, or settings, of very many lines', () => {
    const lines = 'hunter21\n'.repeat(300_000);
    expect(secretsIn(frame('PRIVATE KEY', lines)).length).toBe(300_000);
    expect(secretsIn('password: hunter-21\n'.repeat(200_000)).length).toBeGreaterThanOrEqual(200_000);
  });

  it('finds what stands between two certificates', () => {
    const certificate = frame('CERTIFICATE', 'MIIDazCCAlOgAwIBAgIUJ5Hx0Lm3V7Zq2gk=');
    expect(secretsIn(`${certificate}password: hunter-21\n${certificate}`)).toContain('hunter-21');
  });

  it('takes no longer for a frame without an end than for its text', () => {
    const open = `-----BEGIN PUBLIC KEY-----${'\n'.repeat(500_000)}`;
    expect(secretsIn(`${open}\npassword: hunter-21\n`)).toContain('hunter-21');
  });
});
