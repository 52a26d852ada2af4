import { textAt } from '../../../kit/json.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { StoreContext } from '../contract/store.ts';
import { AwsClient } from './aws-client.ts';

/** A ciphertext longer than this is not one of KMS. */
const MOST_BYTES = 6144;

/** What `aws kms encrypt` made, as its bytes or as the base64 that the command prints. @throws SecretError */
export async function openByKms(context: StoreContext, sealed: Buffer): Promise<Buffer> {
  const blob = bytesOf(sealed);
  if (blob.length === 0 || blob.length > MOST_BYTES)
    throw new SecretError(
      'SecretUndecryptable',
      `it has ${blob.length} bytes, which no ciphertext of KMS has`,
    );
  const client = new AwsClient(context, 'kms', 'TrentService');
  try {
    const answer = await client.call('', 'Decrypt', { CiphertextBlob: blob.toString('base64') });
    const plain = textAt(answer, 'Plaintext');
    if (plain === undefined) throw new SecretError('SecretUndecryptable', 'KMS gives no plaintext');
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
