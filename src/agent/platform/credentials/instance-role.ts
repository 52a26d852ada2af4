import { textAt } from '../../../kit/json.ts';
import type { Host } from '../../host/host.ts';
import { EC2_BASES, withEc2Token } from '../metadata/ec2-token.ts';
import { MetadataClient } from '../metadata/metadata-client.ts';
import type { AwsCredentials } from './aws-signature.ts';
import { SecretError, withSecretErrors } from './secret-error.ts';

const PATIENCE_MS = 20_000;
const ROLES = '/latest/meta-data/iam/security-credentials/';

export interface InstanceRole {
  credentials(): Promise<AwsCredentials>;
  region(): Promise<string>;
  close(): void;
}

/**
 * The role of this EC2 instance, from its metadata service, version 2.
 *
 * @param patienceMs for each question
 */
export function instanceRole(host: Host, patienceMs = PATIENCE_MS): InstanceRole {
  const called = 'the metadata service of EC2';
  const client = new MetadataClient(host, { bases: EC2_BASES, patienceMs, called });
  let opened: ReturnType<typeof withEc2Token> | undefined;
  const get = (path: string): Promise<string | undefined> =>
    withSecretErrors(async () => {
      opened ??= withEc2Token(client);
      return (await opened)(path);
    });
  return {
    async credentials() {
      const role = (await get(ROLES))?.trim().split('\n', 1)[0] ?? '';
      if (role === '')
        throw new SecretError(
          'SecretDenied',
          'this instance has no IAM role: its metadata service lists none',
        );
      return credentialsOf((await get(`${ROLES}${role}`)) ?? '', role);
    },
    async region() {
      const region = (await get('/latest/meta-data/placement/region'))?.trim() ?? '';
      if (!/^[a-z0-9-]+$/.test(region))
        throw new SecretError(
          'SecretStoreUnreachable',
          `${called} returned no region; set one in the reference`,
        );
      return region;
    },
    close: () => client.close(),
  };
}

function credentialsOf(text: string, role: string): AwsCredentials {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new SecretError('SecretStoreUnreachable', `the credentials of the role ${role} are truncated`);
  }
  const [accessKeyId, secretAccessKey, sessionToken] = ['AccessKeyId', 'SecretAccessKey', 'Token'].map(
    (name) => textAt(answer, name),
  );
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new SecretError(
      'SecretDenied',
      `the role ${role} has no credentials (${textAt(answer, 'Code') ?? 'no code'})`,
    );
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}
