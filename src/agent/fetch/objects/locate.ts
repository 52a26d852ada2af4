import { type ObjectAddress, readObjectAddress } from './address.ts';
import type { Asking, Located } from './object-request.ts';

/**
 * Where an object of S3 or Google Cloud Storage lies on the web, with what shows this machine's right to it.
 *
 * @returns why it will never be had, in words
 * @throws HostError where the store does not answer
 */
export async function locate(asking: Asking, address: string): Promise<Located | { problem: string }> {
  const object: ObjectAddress | { problem: string } = readObjectAddress(address);
  if ('problem' in object) return object;
  if (object.store === 'gs') return (await import('./gs.ts')).locateGs(asking, object);
  return (await import('./s3.ts')).locateS3(asking, object);
}
