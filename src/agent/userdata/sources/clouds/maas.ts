import { textOf } from '../../../../kit/json.ts';
import { basesOf, MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { type OAuthKeys, oauthHeader } from '../../../platform/metadata/oauth1.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { directoryTree } from '../contract/tree.ts';
import { configuredFor, isHttp } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';

const VERSION = '2012-03-01';
const SEED = '/var/lib/cloud/seed/maas';

/** A file below the metadata's root, such as `meta-data/instance-id`. */
type Read = (path: string) => Promise<Buffer | undefined>;

/** MAAS (`DataSourceMAAS`): a seed directory, or its server with the keys that the image's configuration holds. */
export async function readMaas(context: SourceContext): Promise<SourceAnswer> {
  const { machine, settings, patienceMs } = context;
  const seed = directoryTree(machine.host.files, SEED);
  const seeded = await answer(SEED, (path) => seed.read(path));
  if (seeded !== undefined) return seeded;
  const configured = configuredFor(settings, 'MAAS');
  const url = textOf(configured.metadata_url)?.replace(/\/+$/, '');
  if (url === undefined || !isHttp(url))
    return { kind: 'not-mine', looked: ['maas: no metadata_url in the configuration'] };
  const sign = signer(context, keysIn(configured));
  const client = new MetadataClient(machine.host, {
    ...{ bases: basesOf(url), headers: sign.headers, patienceMs, called: "MAAS's metadata service" },
  });
  try {
    await sign.setClock(client);
    const answered = await answer(new URL(url).origin, (path) => client.bytes(`/${VERSION}/${path}`));
    if (answered !== undefined) return answered;
    throw new SourceError(
      'not-yet',
      `MAAS at ${new URL(url).origin} has no metadata for this machine yet (status 404).`,
    );
  } finally {
    client.close();
  }
}

async function answer(place: string, read: Read): Promise<SourceAnswer | undefined> {
  const text = async (path: string) => (await read(path))?.toString('utf8').trim();
  const id = await text('meta-data/instance-id');
  if (id === undefined || id === '') return undefined;
  const keys = (await text('meta-data/public-keys')) ?? '';
  const vendorData = await read('meta-data/vendor-data');
  return found({
    source: `maas (${place})`,
    userData: (await read('user-data')) ?? Buffer.alloc(0),
    metaData: {
      'instance-id': id,
      'local-hostname': await text('meta-data/local-hostname'),
      'public-keys': keys,
    },
    ...(vendorData === undefined ? {} : { vendorData }),
    cloud: {
      ...{ name: 'maas', platform: 'maas', subplatform: `seed-dir (${place})`, addresses: [] },
      publicKeys: keys.split('\n').filter((line) => line.trim() !== ''),
    },
  });
}

function keysIn(configured: Record<string, unknown>): OAuthKeys | undefined {
  const consumerKey = textOf(configured.consumer_key);
  const tokenKey = textOf(configured.token_key);
  const tokenSecret = textOf(configured.token_secret);
  if (consumerKey === undefined || tokenKey === undefined || tokenSecret === undefined) return undefined;
  return { consumerKey, consumerSecret: textOf(configured.consumer_secret) ?? '', tokenKey, tokenSecret };
}

/** Signs by the server's clock: this machine's may be years off at its first boot, and MAAS refuses what is old. */
function signer({ machine }: SourceContext, keys: OAuthKeys | undefined) {
  const { clock, uuid } = machine.host;
  let aheadMs = 0;
  const now = () => clock.now().getTime() + aheadMs;
  return {
    headers: (): Record<string, string> =>
      keys === undefined ? {} : { Authorization: oauthHeader(keys, now() / 1000, uuid()) },
    async setClock(client: MetadataClient): Promise<void> {
      const path = `/${VERSION}/meta-data/instance-id`;
      const first = await client.answer(path, { accept: [401, 403] });
      const date = Date.parse(first?.headers.date ?? '');
      if ((first?.status === 401 || first?.status === 403) && !Number.isNaN(date))
        aheadMs = date - clock.now().getTime();
    },
  };
}
