import { asRecord, at, type JsonRecord, omitUndefined, textOf, textsOf } from '../../../../kit/json.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { MAX_RAW_BYTES } from '../../../text/limits.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import type { SourceContext } from '../detection/source.ts';

/** What cloud-init found in this very boot: /run does not outlive it. */
const INSTANCE_DATA = '/run/cloud-init/instance-data-sensitive.json';
const INSTANCE = '/var/lib/cloud/instance';

export async function detectCloudInit({ has }: PlatformInfo): Promise<string | undefined> {
  return (await has(INSTANCE_DATA)) ? `cloud-init has run in this boot (${INSTANCE_DATA})` : undefined;
}

/** cloud-init's own instance data: where it has run, it has already asked. */
export async function readCloudInitData({ machine }: SourceContext): Promise<SourceAnswer> {
  const { files } = machine.host;
  const data = parsed(await files.readIfPresent(INSTANCE_DATA, MAX_RAW_BYTES));
  const v1 = asRecord(data?.v1) ?? {};
  const platform = textOf(v1.platform) ?? 'none';
  const id = textOf(v1.instance_id) ?? textOf(v1['instance-id']);
  const nothing = {
    kind: 'not-mine',
    looked: [`cloud-init: it has run and found no user data (${platform})`],
  } as const;
  if (id === undefined || platform === 'none') return nothing;
  const userData = await files.readIfPresent(`${INSTANCE}/user-data.txt`, MAX_RAW_BYTES);
  if (userData === undefined || userData.length === 0) return nothing;
  const vendorData = await files.readIfPresent(`${INSTANCE}/vendor-data.txt`, MAX_RAW_BYTES);
  const ds = asRecord(data?.ds) ?? {};
  const [region, zone, name] = [textOf(v1.region), textOf(v1.availability_zone), textOf(v1.cloud_name)];
  return found({
    source: `cloud-init (${platform})`,
    userData,
    metaData: {
      ...(asRecord(at(ds, 'meta_data')) ?? asRecord(at(ds, 'meta-data'))),
      ...{ 'instance-id': id, 'local-hostname': v1.local_hostname ?? v1['local-hostname'] },
    },
    ds,
    ...(vendorData === undefined || vendorData.length === 0 ? {} : { vendorData }),
    cloud: {
      ...{ name: name ?? platform, platform, subplatform: textOf(v1.subplatform) ?? platform, addresses: [] },
      ...omitUndefined({ region, zone }),
      publicKeys: textsOf(v1.public_ssh_keys),
    },
  });
}

function parsed(bytes: Buffer | undefined): JsonRecord | undefined {
  try {
    return asRecord(JSON.parse(bytes?.toString('utf8') ?? ''));
  } catch {
    return undefined;
  }
}
