import { asRecord, at, omitUndefined, textOf, textsOf } from '../../../../kit/json.ts';
import { basesOf } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { metadataClientFor } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';

const BASES = basesOf('http://169.254.169.254', 'http://[fd00:c1::a9fe:a9fe]');
/** Version 2 wants it, so that no one is led there by a link. */
const V2 = { Authorization: 'Bearer Oracle' };

/** Oracle Cloud Infrastructure (`DataSourceOracle`): `ds` is the instance document itself. */
export function readOracle(context: SourceContext): Promise<SourceAnswer> {
  return metadataClientFor(
    context,
    'Oracle',
    { bases: BASES, called: "Oracle's metadata service" },
    async (client) => {
      const newest = asRecord(await client.json('/opc/v2/instance/', { headers: V2 }));
      const document = newest ?? asRecord(await client.json('/opc/v1/instance/'));
      const id = textOf(document?.id);
      if (document === undefined || id === undefined)
        throw new SourceError(
          'not-yet',
          `Oracle's metadata service at ${client.base} has no instance ID yet.`,
        );
      const vnics = newest ? await client.json('/opc/v2/vnics/', { headers: V2 }) : undefined;
      const zone = textOf(document.ociAdName) ?? textOf(document.availabilityDomain);
      const region = textOf(document.canonicalRegionName) ?? textOf(document.region);
      const keys = at(document, 'metadata', 'ssh_authorized_keys');
      return found({
        source: `oracle (${client.base})`,
        userData: Buffer.from(textOf(at(document, 'metadata', 'user_data')) ?? '', 'base64'),
        metaData: {
          ...{
            'instance-id': id,
            'launch-index': 0,
            'local-hostname': document.hostname,
            name: document.displayName,
          },
          ...{ 'availability-zone': zone ?? null, public_keys: keys ?? null },
        },
        ds: document,
        cloud: {
          ...{
            name: 'oracle',
            platform: 'oracle',
            subplatform: `metadata (${client.base})`,
            providerId: `oci://${id}`,
          },
          ...omitUndefined({ region, zone }),
          addresses: textsOf([at(vnics, 0, 'privateIp')]),
          publicKeys: textsOf(keys),
        },
      });
    },
  );
}
