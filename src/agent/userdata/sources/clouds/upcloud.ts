import { at, textOf, textsOf } from '../../../../kit/json.ts';
import type { SourceAnswer } from '../contract/answer.ts';
import type { SourceContext } from '../detection/source.ts';
import { readOneDocument } from './one-document.ts';

/** UpCloud (`DataSourceUpCloud`). */
export function readUpCloud(context: SourceContext): Promise<SourceAnswer> {
  const uuid = textOf(context.machine.dmi('product_uuid'));
  return readOneDocument(context, {
    ...{ datasource: 'UpCloud', name: 'upcloud', called: "UpCloud's metadata service" },
    path: '/metadata/v1.json',
    metaData: (document) => ({
      'instance-id': textOf(document.instance_id) ?? uuid,
      'local-hostname': document.hostname,
      network: document.network,
      'public-keys': document.public_keys,
      availability_zone: document.region ?? 'default',
    }),
    cloud: (document) => {
      const region = textOf(document.region);
      return {
        providerId: `upcloud:////${textOf(document.instance_id) ?? uuid ?? ''}`,
        ...(region === undefined ? {} : { region, zone: region }),
        addresses: textsOf([at(document, 'network', 'interfaces', 0, 'ip_addresses', 0, 'address')]),
        publicKeys: textsOf(document.public_keys),
      };
    },
    userData: ({ user_data }) => user_data,
    vendorData: ({ vendor_data }) => vendor_data,
  });
}
