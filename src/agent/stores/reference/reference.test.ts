import { describe, expect, it } from 'vitest';
import { displayAddress, isSecretReference, readReference } from './reference.ts';

describe('references', () => {
  it.each([
    [
      'aws-secretsmanager://eu-central-1/prod/db?version-stage=AWSPREVIOUS&field=password',
      'aws-secretsmanager',
      'eu-central-1',
      'prod/db',
    ],
    [
      'aws-secretsmanager:///arn:aws:secretsmanager:eu-west-1:123456789012:secret:a-b',
      'aws-secretsmanager',
      '',
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:a-b',
    ],
    ['aws-ssm:///prod/db', 'aws-ssm', '', 'prod/db'],
    ['aws-ssm:///%2Fdb', 'aws-ssm', '', '/db'],
    ['vault:///secret/data/a%20b?version=3&delete=true', 'vault', '', 'secret/data/a b'],
    ['vault-wrapped:///secret/data/db?token=hvs.x', 'vault-wrapped', '', 'secret/data/db'],
    ['azure-keyvault://my-vault/name/0123', 'azure-keyvault', 'my-vault', 'name/0123'],
    ['azure-keyvault://v.vault.azure.cn/name', 'azure-keyvault', 'v.vault.azure.cn', 'name'],
    ['gcp-secretmanager://my-project/name?encoding=base64', 'gcp-secretmanager', 'my-project', 'name'],
  ])('reads %s', (address, store, authority, name) => {
    expect(isSecretReference(address)).toBe(true);
    expect(readReference(address)).toMatchObject({ kind: 'stored', store, authority, name });
  });

  it.each(['age+data:,x', 'jwe+https://a.example/x', 'aws-kms+file:///etc/x'])('reads %s', (address) => {
    expect(readReference(address)).toMatchObject({ kind: 'sealed', place: address.replace(/^[^+]*\+/, '') });
  });

  it.each([
    ['vault://evil.example/secret', 'settings'],
    ['vault-wrapped:///a', 'token'],
    ['vault-wrapped:///a?token=b&delete=true', 'must not set delete'],
    ['azure-keyvault://evil.example/name', 'an Azure key vault'],
    ['azure-keyvault://evil.example%2f.vault.azure.net/name', ''],
    ['azure-keyvault://x.vault.azure.net.evil.example/name', 'an Azure key vault'],
    ['aws-ssm://evil.example/name', 'region'],
    ['aws-ssm://eu-west-1:8443/name', 'region'],
    ['gcp-secretmanager://p.q/name', 'project'],
    ['aws-ssm://u:p@eu-west-1/name', 'must not contain a user'],
    ['aws-ssm:///', 'names no secret'],
    ['aws-ssm:///a%zz', 'escape'],
    ['aws-ssm:///a%0Ab', 'control'],
    ['vault:///secret/..%2f..%2fsys/seal', '..'],
    ['aws-ssm:///a?vrsion=1', 'unknown option'],
    ['aws-ssm:///a?delete=yes', 'delete=true'],
    ['aws-ssm:///a?encoding=hex', 'base64'],
    ['aws-ssm:///a#b', '%23'],
    ['age+vault:///a', 'must have'],
    ['age+ftp://a.example/x', 'must have'],
    ['age+file:///a%2fb', 'does not name a valid file path'],
    ['age+file:///a%00b', 'does not name a valid file path'],
    ['age+file:///a%zz', 'does not name a valid file path'],
  ])('refuses %s', (address, problem) => {
    expect(readReference(address)).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  it('takes other addresses for none', () => {
    for (const address of ['https://a.example', 'data:,x', 'file:///a', 'age:x', '', 'git+https://a'])
      expect(isSecretReference(address)).toBe(false);
  });

  it('shows no token, no data and no password', () => {
    expect(displayAddress('vault-wrapped:///a/b?token=hvs.secret&field=f')).toBe(
      'vault-wrapped:///a/b?field=f',
    );
    expect(displayAddress('age+data:,secret')).toBe('age+data:');
    expect(displayAddress('age+DATA:,secret')).toBe('age+data:');
    expect(displayAddress('jwe+https://u:secret@a.example/x?sig=secret')).toBe('jwe+https://a.example/x');
    expect(displayAddress('https://u:secret@a.example/x?sig=secret')).toBe('https://a.example/x');
    expect(displayAddress('vault://secret/x#y')).toBe('vault');
    expect(displayAddress('aws-ssm:///a?delete=true')).toBe('aws-ssm:///a?delete=true');
  });
});
