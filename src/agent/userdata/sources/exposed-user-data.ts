import type { Host } from '../../host/host.ts';
import type { Cloud } from '../../platform/instance/instance.ts';
import { basesOf, MetadataClient } from '../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../platform/metadata/source-error.ts';

const PATIENCE_MS = 2_000;

/**
 * Where a web server gives this machine's user data to whoever reaches it over the machine's network, which pods share unless
 * something keeps them from it. On AWS that is known: a service that demands tokens gives them, with the hop limit that is
 * usual, to the machine alone. Scaleway asks for a port of root. What cannot be known is not said.
 *
 * @returns its origin; undefined where there is none, or nothing is known
 */
export async function exposedUserDataUrl(
  host: Host,
  { name, subplatform }: Cloud,
): Promise<string | undefined> {
  const place = /^(?:metadata|imds) \(([^()]{1,200})\)$/.exec(subplatform)?.[1];
  const url = place === 'IMDS' ? 'http://169.254.169.254' : place;
  if (url === undefined || name === 'scaleway' || !/^https?:/.test(url) || !URL.canParse(url))
    return undefined;
  const { origin } = new URL(url);
  if (name !== 'aws') return origin;
  return (await answersWithoutToken(host, origin)) ? origin : undefined;
}

async function answersWithoutToken(host: Host, origin: string): Promise<boolean> {
  const called = 'the metadata service of EC2';
  const client = new MetadataClient(host, { bases: basesOf(origin), patienceMs: PATIENCE_MS, called });
  try {
    return (await client.answer('/latest/meta-data/', { accept: [401, 403] }))?.status === 200;
  } catch (error) {
    if (error instanceof SourceError) return false;
    throw error;
  } finally {
    client.close();
  }
}
