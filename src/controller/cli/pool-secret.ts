import type { TokenAdmin, TokenRecord } from '../attest/token.ts';
import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { EXPIRES_ANNOTATION } from '../renewal/renewal-writer.ts';
import { allowRenewal } from '../renewal/secret-rights.ts';

/** On a Secret: the token in it is renewed there. manifests/policy/secrets.yaml looks at it. */
const POOL_TOKEN_LABEL = 'slipway.dev/pool-token';

/** A Secret that templates take a token from. */
export interface TemplateSecret {
  readonly namespace: string;
  readonly name: string;
}

/** Puts a token where user data takes it from. @param metadata beside its name @throws KubeError */
export function writeTokenSecret(
  client: KubeClient,
  { namespace, name }: TemplateSecret,
  token: string,
  metadata: object = {},
): Promise<KubeObject> {
  return client.request<KubeObject>('PATCH', `/api/v1/namespaces/${namespace}/secrets/${name}`, {
    body: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, ...metadata },
      type: 'Opaque',
      stringData: { token },
    },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'slipway-controller-cli', force: true },
  });
}

/**
 * Puts a pool's token into its Secret. Where it is to be renewed, the minter gets the right to change this Secret; that which was to be
 * renewed there before is not any more, and counts until its end.
 *
 * @throws KubeError; then the token counts no longer
 */
export async function placePoolToken(
  client: KubeClient,
  shelf: TokenAdmin,
  at: TemplateSecret & { readonly controllerNamespace: string },
  { token, record }: { token: string; record: TokenRecord },
): Promise<void> {
  try {
    const marks = {
      ...(record.renewal ? { labels: { [POOL_TOKEN_LABEL]: record.id } } : {}),
      annotations: { [EXPIRES_ANNOTATION]: new Date(record.expiresAt).toISOString() },
    };
    const secret = await writeTokenSecret(client, at, token, marks);
    if (record.renewal) await allowRenewal(client, secret, at.controllerNamespace).catch(explainRights);
  } catch (error) {
    await shelf.revoke(record.id);
    throw error;
  }
  await endRenewals(shelf, at, record.id);
}

/** Another token is in this Secret now. @param id of the one that is, where it is a pool's @throws KubeError */
export async function endRenewals(
  shelf: TokenAdmin,
  { namespace, name }: TemplateSecret,
  id?: string,
): Promise<void> {
  for (const other of await shelf.list())
    if (other.namespace === namespace && other.renewal?.secret === name && other.id !== id)
      await shelf.endRenewal(other);
}

function explainRights(error: unknown): never {
  if (isStatus(error, 403))
    error.message += '; who may make no Role there can make a token that is not renewed: --no-renew';
  throw error;
}
