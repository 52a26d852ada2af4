import { omitUndefined, textOf, textsOf } from '../../../../kit/json.ts';
import { linkLocalBases } from '../../../platform/metadata/link-local.ts';
import { basesOf } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { readMetaData } from '../contract/meta-data.ts';
import { metadataClientFor } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';

/** Hetzner Cloud (`DataSourceHetzner`). */
export async function readHetzner(context: SourceContext): Promise<SourceAnswer> {
  const { machine } = context;
  const bases = [...basesOf('http://169.254.169.254'), ...(await linkLocalBases(machine.host))];
  return metadataClientFor(
    context,
    'Hetzner',
    { bases, called: "Hetzner's metadata service" },
    async (client) => {
      const yaml = async (path: string) => readMetaData((await client.bytes(path)) ?? Buffer.alloc(0), path);
      const { values, remarks } = await yaml('/hetzner/v1/metadata');
      const id = textOf(values['instance-id']);
      const serial = machine.dmi('product_serial');
      if (id === undefined)
        throw new SourceError(
          'not-yet',
          `Hetzner's metadata service at ${client.base} has no instance-id yet.`,
        );
      if (serial !== '' && serial !== id)
        throw new SourceError(
          'refused',
          `The metadata at ${client.base} is for the server ${id}, but this machine's serial number is ${serial}.`,
        );
      const networks = await yaml('/hetzner/v1/metadata/private-networks');
      // 204 says that there is none, and has no body.
      const userData = await client.bytes('/hetzner/v1/userdata');
      const vendorData = textOf(values.vendor_data);
      const zone = textOf(values['availability-zone']);
      const region = textOf(values.region);
      return found({
        source: `hetzner (${client.base})`,
        userData: userData ?? Buffer.alloc(0),
        metaData: {
          'instance-id': id,
          'local-hostname': values.hostname,
          'network-config': values['network-config'] ?? null,
          'public-keys': values['public-keys'] ?? null,
          'private-networks': Object.keys(networks.values).length > 0 ? networks.values : [],
        },
        ...(vendorData === undefined ? {} : { vendorData: Buffer.from(vendorData) }),
        ...(remarks.length === 0 ? {} : { remarks }),
        cloud: {
          ...{ name: 'hetzner', platform: 'hetzner', subplatform: `metadata (${client.base})` },
          providerId: `hcloud://${id}`,
          ...omitUndefined({ region, zone }),
          addresses: textsOf([values['public-ipv4'], values['local-ipv4']]),
          publicKeys: textsOf(values['public-keys']),
        },
      });
    },
  );
}
