import { omitUndefined, textAt } from '../../../kit/json.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { Store, StoreContext } from '../contract/store.ts';
import type { StoredReference } from '../reference/reference.ts';
import { AwsClient } from './aws-client.ts';

/** AWS Secrets Manager: GetSecretValue. */
export function openSecretsManager(context: StoreContext): Store {
  const client = new AwsClient(context, 'secretsmanager', 'secretsmanager');
  return {
    async read({ authority, name, options }) {
      const { 'version-id': id, 'version-stage': stage } = options;
      const answer = await client.call(authority, 'GetSecretValue', {
        SecretId: name,
        ...omitUndefined({ VersionId: id, VersionStage: stage }),
      });
      const text = textAt(answer, 'SecretString');
      if (text !== undefined) return Buffer.from(text);
      const binary = textAt(answer, 'SecretBinary');
      if (binary !== undefined) return Buffer.from(binary, 'base64');
      throw new SecretError('SecretNotFound', 'AWS returned the secret without a value');
    },
    async remove({ authority, name }) {
      // Nobody needs it again; the time to recover it would only lengthen its life.
      await client.call(authority, 'DeleteSecret', { SecretId: name, ForceDeleteWithoutRecovery: true });
    },
    close: async () => client.close(),
  };
}

/** Parameters of AWS Systems Manager: GetParameter, decrypted. */
export function openParameters(context: StoreContext): Store {
  const client = new AwsClient(context, 'ssm', 'AmazonSSM');
  return {
    async read(reference) {
      const asked = { Name: parameterName(reference), WithDecryption: true };
      const answer = await client.call(reference.authority, 'GetParameter', asked);
      const value = textAt((answer as { Parameter?: unknown } | null)?.Parameter, 'Value');
      if (value === undefined)
        throw new SecretError('SecretNotFound', 'AWS returned the parameter without a value');
      return Buffer.from(value);
    },
    async remove(reference) {
      await client.call(reference.authority, 'DeleteParameter', { Name: parameterName(reference) });
    },
    close: async () => client.close(),
  };
}

/** A name with levels begins with a slash, which a URL takes for its own. */
function parameterName({ name }: StoredReference): string {
  const isPlain = name.startsWith('/') || name.startsWith('arn:') || !name.includes('/');
  return isPlain ? name : `/${name}`;
}

/** A ciphertext longer than this is not one of KMS. */
const MOST_BYTES = 6144;

/** What `aws kms encrypt` made, as its bytes or as the base64 that the command prints. @throws SecretError */
export async function openByKms(context: StoreContext, sealed: Buffer): Promise<Buffer> {
  const blob = bytesOf(sealed);
  if (blob.length === 0 || blob.length > MOST_BYTES)
    throw new SecretError(
      'SecretUndecryptable',
      `it has ${blob.length} bytes, which is not a valid KMS ciphertext size`,
    );
  const client = new AwsClient(context, 'kms', 'TrentService');
  try {
    const answer = await client.call('', 'Decrypt', { CiphertextBlob: blob.toString('base64') });
    const plain = textAt(answer, 'Plaintext');
    if (plain === undefined) throw new SecretError('SecretUndecryptable', 'KMS returned no plaintext');
    return Buffer.from(plain, 'base64');
  } finally {
    client.close();
  }
}

function bytesOf(sealed: Buffer): Buffer {
  const text = sealed.toString('latin1').replace(/\s+/g, '');
  return /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    ? Buffer.from(text, 'base64')
    : sealed;
}
