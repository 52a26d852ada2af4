import { at, type JsonRecord, textOf, textsOf } from '../../../../kit/json.ts';
import type { SourceAnswer } from '../contract/answer.ts';
import type { SourceContext } from '../detection/source.ts';
import { readOneDocument } from './one-document.ts';

/** Vultr (`DataSourceVultr`). Its `v1.json` has user data only for those who say that they are cloud-init. */
export function readVultr(context: SourceContext): Promise<SourceAnswer> {
  return readOneDocument(context, {
    ...{ datasource: 'Vultr', name: 'vultr', called: "Vultr's metadata service" },
    path: '/v1.json',
    headers: { 'Metadata-Token': 'cloudinit' },
    metaData: ({ 'user-data': _user, 'vendor-data': _vendor, ...document }) => ({
      ...document,
      'instance-id': document['instance-v2-id'],
      'local-hostname': textOf(document.hostname) ?? 'guest',
      region: regionOf(document),
    }),
    cloud: (document) => {
      const region = regionOf(document);
      return {
        providerId: `vultr://${textOf(document['instance-v2-id']) ?? ''}`,
        ...(region === undefined ? {} : { region, zone: region }),
        addresses: textsOf([at(document, 'interfaces', 0, 'ipv4', 'address')]),
        publicKeys: textsOf(document['public-keys']),
      };
    },
    userData: (document) => document['user-data'],
    vendorData: (document) => document['vendor-data'],
  });
}

/** cloud-init prefers the code of the country. */
function regionOf(document: JsonRecord): string | undefined {
  return (
    textOf(at(document, 'region', 'countrycode')) ?? textOf(at(document, 'region', 'regioncode'))
  )?.toLowerCase();
}
