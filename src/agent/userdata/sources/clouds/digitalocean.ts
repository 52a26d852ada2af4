import { at, textOf, textsOf } from '../../../../kit/json.ts';
import type { SourceAnswer } from '../contract/answer.ts';
import type { SourceContext } from '../detection/source.ts';
import { readOneDocument } from './one-document.ts';

/** DigitalOcean (`DataSourceDigitalOcean`). Its service answers machines with a link-local address. */
export function readDigitalOcean(context: SourceContext): Promise<SourceAnswer> {
  return readOneDocument(context, {
    ...{ datasource: 'DigitalOcean', name: 'digitalocean', called: "DigitalOcean's metadata service" },
    path: '/metadata/v1.json',
    metaData: (document) => ({
      'instance-id': textOf(document.droplet_id) ?? textOf(context.machine.dmi('product_serial')),
      'local-hostname': document.hostname,
      interfaces: document.interfaces,
      'public-keys': document.public_keys,
      availability_zone: document.region ?? 'default',
    }),
    cloud: (document) => {
      const region = textOf(document.region);
      return {
        providerId: `digitalocean://${textOf(document.droplet_id) ?? ''}`,
        ...(region === undefined ? {} : { region, zone: region }),
        addresses: ['private', 'public'].flatMap(
          (kind) => textOf(at(document, 'interfaces', kind, 0, 'ipv4', 'ip_address')) ?? [],
        ),
        publicKeys: textsOf(document.public_keys),
      };
    },
    userData: ({ user_data }) => user_data,
    vendorData: ({ vendor_data }) => vendor_data,
  });
}
