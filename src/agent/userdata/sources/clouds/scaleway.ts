import { asRecord, at, textOf, textsOf } from '../../../../kit/json.ts';
import { basesOf, MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { metadataClientFor } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';

const BASES = basesOf('http://169.254.42.42', 'http://[fd00:42::42]');
const CALLED = "Scaleway's metadata service";
/** Only root may send from these ports, which the service takes as proof of being root. */
const LOWEST_PORT = 600;
const HIGHEST_PORT = 1023;

/** Scaleway (`DataSourceScaleway`). */
export function readScaleway(context: SourceContext): Promise<SourceAnswer> {
  return metadataClientFor(context, 'Scaleway', { bases: BASES, called: CALLED }, async (client) => {
    const document = asRecord(await client.json('/conf?format=json'));
    const id = textOf(document?.id);
    if (document === undefined || id === undefined)
      throw new SourceError('not-yet', `${CALLED} at ${client.base} has no instance ID yet.`);
    const [userData, vendorData] = await privileged(context, client.base);
    const zone = textOf(document.zone) ?? textOf(at(document, 'location', 'zone_id'));
    const keys = Object.values(
      asRecord(document.ssh_public_keys) ?? document.ssh_public_keys ?? {},
    ) as unknown[];
    return found({
      source: `scaleway (${client.base})`,
      userData: userData ?? Buffer.alloc(0),
      metaData: { ...document, 'instance-id': id, 'local-hostname': document.hostname },
      ...(vendorData === undefined ? {} : { vendorData }),
      cloud: {
        ...{ name: 'scaleway', platform: 'scaleway', subplatform: `metadata (${client.base})` },
        ...(zone === undefined ? {} : { zone, region: zone.replace(/-[^-]*$/, '') }),
        ...(zone === undefined ? {} : { providerId: `scaleway://instance/${zone}/${id}` }),
        addresses: textsOf([document.private_ip, at(document, 'public_ips', 0, 'address')]),
        publicKeys: [...textsOf(keys.map((key) => at(key, 'key'))), ...taggedKeys(document.tags)],
      },
    });
  });
}

/** User data and vendor data, each from a port of its own below 1024; a port that is taken is left for another. */
async function privileged(
  { machine, patienceMs }: SourceContext,
  base: string,
): Promise<(Buffer | undefined)[]> {
  const { random } = machine.host;
  const port = () => LOWEST_PORT + Math.floor(random() * (HIGHEST_PORT - LOWEST_PORT + 1));
  const client = new MetadataClient(machine.host, {
    ...{ bases: basesOf(base), patienceMs, called: CALLED },
    http: () => ({ localPort: port() }),
  });
  try {
    return [await client.bytes('/user_data/cloud-init'), await client.bytes('/vendor_data/cloud-init')];
  } finally {
    client.close();
  }
}

/** Tags such as AUTHORIZED_KEY=ssh-ed25519_AAAA..., with underscores for spaces. */
function taggedKeys(tags: unknown): string[] {
  return textsOf(tags).flatMap((tag) => /^AUTHORIZED_KEY=(.+)$/.exec(tag)?.[1]?.replaceAll('_', ' ') ?? []);
}
