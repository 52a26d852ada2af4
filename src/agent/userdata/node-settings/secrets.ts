import { sensitive } from '../../../secrets/sensitive.ts';
import type { SecretSettings, VaultSettings } from '../../document/node-settings.ts';
import { isPrivateOrigin } from '../../stores/reference/private-origin.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { certificates, section, url } from './fields.ts';

/** `secrets`: what the stores of secrets are asked with (docs/secrets.md). */
export function readSecrets(fields: Fields, diagnostics: Diagnostics): SecretSettings {
  const inner = (name: string) => section(fields.node(name), `slipway.secrets.${name}`, diagnostics);
  const [age, aws, vault, azure] = [inner('age'), inner('aws'), inner('vault'), inner('azure')];
  fields.refuseUnknown();
  const settings: SecretSettings = {
    ...(age ? { age: { identities: age.texts('identities', true) } } : {}),
    ...(aws ? { aws: { ...text(aws, 'region'), ...secureUrl(aws, 'endpoint') } } : {}),
    ...(azure ? { azure: { ...text(azure, 'clientId') } } : {}),
  };
  if (age && settings.age?.identities.some((path) => !path.startsWith('/')))
    age.wrong('identities', 'identities must be absolute file paths.');
  for (const one of [age, aws, azure]) one?.refuseUnknown();
  const server = vault && readVault(vault, diagnostics);
  return { ...settings, ...(server ? { vault: server } : {}) };
}

function readVault(fields: Fields, diagnostics: Diagnostics): VaultSettings | undefined {
  const { address } = secureUrl(fields, 'address');
  const ca = certificates(fields, 'ca');
  const appRole = section(fields.node('appRole'), 'slipway.secrets.vault.appRole', diagnostics);
  const certificate = section(fields.node('certificate'), 'slipway.secrets.vault.certificate', diagnostics);
  const settings = {
    ...text(fields, 'namespace'),
    ...(ca === undefined ? {} : { ca }),
    ...(appRole ? { appRole: readAppRole(appRole) } : {}),
    ...(certificate ? { certificate: readCertificate(certificate) } : {}),
    ...text(fields, 'tokenFile'),
  };
  fields.refuseUnknown();
  const ways = ['appRole', 'certificate', 'tokenFile'].filter((name) => fields.has(name));
  if (ways.length > 1) fields.wrong(ways[1] ?? '', 'set exactly one of appRole, certificate and tokenFile.');
  if (address === undefined) {
    if (!fields.has('address'))
      fields.wrong('address', 'address is missing, such as https://vault.example:8200.');
    return undefined;
  }
  return { address, ...settings };
}

function readAppRole(fields: Fields): NonNullable<VaultSettings['appRole']> {
  const roleId = fields.text('roleId') ?? '';
  if (roleId === '') fields.wrong('roleId', 'roleId is missing.');
  const secretId = fields.text('secretId');
  const wrappedSecretId = fields.text('wrappedSecretId');
  const ways = ['secretId', 'secretIdFile', 'wrappedSecretId'].filter((name) => fields.has(name));
  if (ways.length > 1)
    fields.wrong(ways[1] ?? '', 'set exactly one of secretId, secretIdFile and wrappedSecretId.');
  const appRole = {
    mount: fields.text('mount') ?? 'approle',
    roleId,
    ...(secretId === undefined ? {} : { secretId: sensitive(secretId) }),
    ...text(fields, 'secretIdFile'),
    ...(wrappedSecretId === undefined ? {} : { wrappedSecretId: sensitive(wrappedSecretId) }),
  };
  fields.refuseUnknown();
  return appRole;
}

function readCertificate(fields: Fields): NonNullable<VaultSettings['certificate']> {
  const paths = { certificateFile: fields.text('certificateFile'), keyFile: fields.text('keyFile') };
  for (const [name, path] of Object.entries(paths))
    if (!path?.startsWith('/')) fields.wrong(name, `${name} must be an absolute file path.`);
  const { certificateFile = '', keyFile = '' } = paths;
  const mount = fields.text('mount') ?? 'cert';
  const certificate = { mount, ...text(fields, 'role'), certificateFile, keyFile };
  fields.refuseUnknown();
  return certificate;
}

function text<Name extends string>(fields: Fields, name: Name): { [Key in Name]?: string } {
  const value = fields.text(name);
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: string });
}

/** Credentials go there: without TLS only to this machine itself. */
function secureUrl<Name extends string>(fields: Fields, name: Name): { [Key in Name]?: string } {
  const address = url(fields, name);
  if (address !== undefined && !isPrivateOrigin(address))
    fields.wrong(name, `${name} must begin with https://.`);
  return address === undefined ? {} : ({ [name]: address } as { [Key in Name]?: string });
}
