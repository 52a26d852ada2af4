import { ExpectedError } from '../../kit/errors.ts';
import type { TokenAdmin, TokenRecord } from '../attest/token.ts';
import type { KubeClient } from '../kube/client.ts';
import { undefinedOnStatus } from '../kube/kube-error.ts';
import type { KubeObject } from '../kube/objects.ts';
import { EXPIRES_ANNOTATION } from '../renewal/renewal-writer.ts';
import { allowRenewal } from '../renewal/secret-rights.ts';

/** Where a Secret has its token. */
const TOKEN_KEY = 'token';
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
      stringData: { [TOKEN_KEY]: token },
    },
    contentType: 'application/apply-patch+yaml',
    query: { fieldManager: 'slipway-controller-cli', force: true },
  });
}

/**
 * Looks whether a token can be renewed there. The minter's right on a Secret shows it what is in it, so nothing else may be.
 *
 * @throws ExpectedError, KubeError
 */
export async function checkTokenSecret(
  client: KubeClient,
  { namespace, name }: TemplateSecret,
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  type Secret = KubeObject & { type?: string; data?: Record<string, string> };
  const there = await undefinedOnStatus(client.request<Secret>('GET', path), 404);
  const others = Object.keys(there?.data ?? {}).filter((key) => key !== TOKEN_KEY);
  if (there !== undefined && (there.type ?? 'Opaque') !== 'Opaque')
    throw new ExpectedError(`Secret ${namespace}/${name} is of type ${there.type}; name another one`);
  if (others.length > 0)
    throw new ExpectedError(
      `Secret ${namespace}/${name} holds more than a token (${others.join(', ')}), and whoever renews it could read that; name another one, or say --no-renew`,
    );
}

/**
 * Puts a pool's token into its Secret. Where it is to be renewed, the minter gets the right to change this Secret; that which was to be
 * renewed there before is not any more, and counts until its end.
 *
 * @throws KubeError; then there is no such token. ExpectedError where it is there and cannot be renewed
 */
export async function placePoolToken(
  client: KubeClient,
  shelf: TokenAdmin,
  at: TemplateSecret & { readonly controllerNamespace: string },
  { token, record }: { token: string; record: TokenRecord },
): Promise<void> {
  const marks = {
    ...(record.renewal ? { labels: { [POOL_TOKEN_LABEL]: record.id } } : {}),
    annotations: { [EXPIRES_ANNOTATION]: new Date(record.expiresAt).toISOString() },
  };
  const secret = await writeTokenSecret(client, at, token, marks).catch(async (error: unknown) => {
    await shelf.revoke(record.id);
    throw error;
  });
  await endRenewals(shelf, at, record.id);
  if (record.renewal === undefined) return;
  try {
    await allowRenewal(client, secret, at.controllerNamespace);
  } catch (error) {
    // The one before is not in the Secret any more, so this one stays.
    await shelf.endRenewal(record);
    throw new ExpectedError(
      `the token is in Secret ${at.namespace}/${at.name}, but it will not be renewed: ${(error as Error).message}; run this again as somebody who may make Roles there, or say --no-renew`,
      { cause: error },
    );
  }
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
