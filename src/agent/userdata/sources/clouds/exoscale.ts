import { basesOf } from '../../../platform/metadata/metadata-client.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { metadataClientFor } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';
import { passwordRemark, readEc2Like } from './ec2-like.ts';

const VERSION = '1.0';

/** Exoscale (`DataSourceExoscale`). */
export function readExoscale(context: SourceContext): Promise<SourceAnswer> {
  const options = { bases: basesOf('http://169.254.169.254'), called: "Exoscale's metadata service" };
  return metadataClientFor(context, 'Exoscale', options, async (client) => {
    const { metaData, userData, ...told } = await readEc2Like(client, VERSION);
    return found({
      source: `exoscale (${client.base})`,
      ...{ userData, metaData },
      ds: { _metadata_api_version: VERSION, 'meta-data': metaData },
      cloud: {
        ...{ name: 'exoscale', platform: 'exoscale', subplatform: `metadata (${client.base})` },
        providerId: `exoscale://${String(metaData['instance-id'])}`,
        ...told,
      },
      remarks: [passwordRemark(`${client.base}:8080`)],
    });
  });
}
