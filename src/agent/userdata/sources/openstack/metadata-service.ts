import { crawl } from '../../../platform/metadata/crawl.ts';
import { linkLocalBases } from '../../../platform/metadata/link-local.ts';
import { basesOf, MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { configuredBases } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';
import { readOpenStack } from './read-openstack.ts';

/** OpenStack's metadata service (`DataSourceOpenStack`). */
export async function readOpenStackService({
  machine,
  settings,
  patienceMs,
}: SourceContext): Promise<SourceAnswer> {
  const client = new MetadataClient(machine.host, {
    bases: configuredBases(settings, 'OpenStack') ?? [
      ...basesOf('http://169.254.169.254'),
      ...(await linkLocalBases(machine.host)),
    ],
    patienceMs,
    called: "OpenStack's metadata service",
  });
  try {
    const listed = (await client.text('/openstack'))?.split('\n').map((line) => line.trim()) ?? [];
    const data = await readOpenStack({
      place: client.base,
      read: (path) => (path.startsWith('ec2/') ? Promise.resolve(undefined) : client.bytes(`/${path}`)),
      list: async () => listed,
    });
    if (data === undefined)
      throw new SourceError(
        'not-yet',
        `OpenStack's metadata service at ${client.base} has no meta_data.json yet.`,
      );
    const { cloud, ds, ...rest } = data;
    const ec2 = await crawl((path) => client.text(`/latest/meta-data/${path}`));
    return found({
      source: `openstack (${client.base})`,
      ...rest,
      ds: { ...ds, ec2_metadata: ec2 ?? {} },
      cloud: {
        name: 'openstack',
        platform: 'openstack',
        subplatform: `metadata (${client.base})`,
        providerId: `openstack:///${String(data.metaData['instance-id'])}`,
        ...cloud,
      },
    });
  } finally {
    client.close();
  }
}
