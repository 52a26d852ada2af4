import { accessToken, readFromMetadata } from '../../platform/credentials/cloud-token.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { ObjectAddress } from './address.ts';
import type { ObjectRequest, StoreAccess } from './object-request.ts';

const METADATA = 'the metadata service of GCP';
const TOKEN =
  '/computeMetadata/v1/instance/service-accounts/default/token?scopes=https://www.googleapis.com/auth/devstorage.read_only';

/** An object of Google Cloud Storage by its JSON API, with the service account of a machine of GCE, else as anybody. */
export async function locateGs(
  { host }: StoreAccess,
  { bucket, key }: Extract<ObjectAddress, { store: 'gs' }>,
): Promise<ObjectRequest> {
  const path = `/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(key)}`;
  const url = new URL(`https://storage.googleapis.com${path}?alt=media`);
  const product = await host.files.readIfPresent('/sys/class/dmi/id/product_name', 4096);
  if (!product?.toString('utf8').startsWith('Google'))
    return {
      url,
      headers: {},
      anonymous: { why: 'this machine is not on Google Compute Engine', mayPass: false },
    };
  try {
    const told = await readFromMetadata(host, METADATA, TOKEN, { headers: { 'metadata-flavor': 'Google' } });
    return { url, headers: { authorization: `Bearer ${accessToken(told, METADATA)}` } };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    const mayPass = error.code === 'SecretStoreUnreachable';
    return { url, headers: {}, anonymous: { why: error.message, mayPass } };
  }
}
