import { basesOf } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { metadataClientFor } from '../detection/metadata-client-for.ts';
import type { SourceContext } from '../detection/source.ts';
import { virtualRouters } from './dhcp-server.ts';
import { passwordRemark, readEc2Like } from './ec2-like.ts';

/**
 * CloudStack (`DataSourceCloudStack`): its virtual router answers, which is the DHCP server or, where the addresses are static, the
 * gateway.
 */
export async function readCloudStack(context: SourceContext): Promise<SourceAnswer> {
  const routers = await virtualRouters(context.machine.host);
  if (routers.length === 0)
    throw new SourceError(
      'needs-network',
      'CloudStack: there is no DHCP lease and no default route yet, so the virtual router is not known.',
    );
  const options = {
    bases: basesOf(...routers.map((router) => `http://${router}`)),
    called: "CloudStack's virtual router",
  };
  return metadataClientFor(context, 'CloudStack', options, async (client) => {
    const { metaData, userData, ...told } = await readEc2Like(client, 'latest');
    return found({
      source: `cloudstack (${client.base})`,
      ...{ userData, metaData },
      cloud: {
        ...{ name: 'cloudstack', platform: 'cloudstack', subplatform: `metadata (${client.base})` },
        providerId: `cloudstack:///${String(metaData['instance-id'])}`,
        ...told,
      },
      remarks: [passwordRemark(`${client.base}:8080`)],
    });
  });
}
