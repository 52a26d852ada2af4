import { type ObjectAddress, readObjectAddress } from './address.ts';
import type { ObjectRequest, StoreAccess } from './object-request.ts';

/**
 * Where an object of S3 or Google Cloud Storage lies on the web, with what shows this machine's right to it.
 *
 * @returns why it will never be had, in words
 * @throws HostError where the store does not answer
 */
export async function locateObject(
  asking: StoreAccess,
  address: string,
): Promise<ObjectRequest | { problem: string }> {
  const object: ObjectAddress | { problem: string } = readObjectAddress(address);
  if ('problem' in object) return object;
  if (object.store === 'gs') return (await import('./gs.ts')).locateGs(asking, object);
  return (await import('./s3.ts')).locateS3(asking, object);
}
