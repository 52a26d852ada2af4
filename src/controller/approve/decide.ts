import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import type { ParsedRequest } from './examine.ts';
import { COLLECTION, type SigningCondition, type SigningRequest } from './signing-request.ts';
import type { Verdict } from './verdict.ts';

/**
 * Writes an approval or a denial onto the very object that was judged.
 *
 * @returns false where it is another one by now, or somebody else has decided
 * @throws KubeError
 */
export async function decide(
  client: KubeClient,
  { name, uid, version }: Pick<ParsedRequest, 'name' | 'uid' | 'version'>,
  { is, because }: Verdict,
): Promise<boolean> {
  const path = `${COLLECTION}/${encodeURIComponent(name)}`;
  try {
    const object = await client.request<SigningRequest>('GET', path);
    const { metadata, status } = object;
    if (metadata.uid !== uid || metadata.resourceVersion !== version) return false;
    const condition: SigningCondition = {
      ...(is === 'approve'
        ? { type: 'Approved', reason: 'SlipwayApproved' }
        : { type: 'Denied', reason: 'SlipwayDenied' }),
      ...{ status: 'True', message: `${because}.`, lastUpdateTime: new Date().toISOString() },
    };
    const conditions = [...(status?.conditions ?? []), condition];
    await client.request('PUT', `${path}/approval`, {
      body: { ...object, status: { ...status, conditions } },
    });
    return true;
  } catch (error) {
    if (isStatus(error, 404) || isStatus(error, 409)) return false;
    throw error;
  }
}
