import { asRecord, at, textOf } from '../../../../kit/json.ts';
import type { Cloud } from '../../../platform/instance/instance.ts';
import { type Ask, basesOf, MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { configuredBases } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';

/** metadata.google.internal by its addresses: whoever answers for DNS has no say. */
const BASES = basesOf(
  'http://169.254.169.254/computeMetadata/v1',
  'http://[fd20:ce::254]/computeMetadata/v1',
);
const FLAVOR = { 'Metadata-Flavor': 'Google' };

/** Google Compute Engine (`DataSourceGCE`). */
export async function readGce({ machine, settings, patienceMs }: SourceContext): Promise<SourceAnswer> {
  const client = new MetadataClient(machine.host, {
    bases: configuredBases(settings, 'GCE') ?? BASES,
    headers: FLAVOR,
    patienceMs,
    redirects: 'never',
    called: "Google's metadata service",
  });
  try {
    const id = await read(client, '/instance/id');
    const zone = (await read(client, '/instance/zone')).split('/').at(-1) ?? '';
    const hostname = await read(client, '/instance/hostname');
    const instance = asRecord(await client.json('/instance/attributes/?recursive=true')) ?? {};
    const project = asRecord(await client.json('/project/attributes/?recursive=true')) ?? {};
    const interfaces = await client.json('/instance/network-interfaces/?recursive=true');
    const name = (await client.text('/instance/name')) ?? hostname.split('.')[0];
    const projectId = await client.text('/project/project-id');
    const instanceType = (await client.text('/instance/machine-type'))?.split('/').at(-1);
    const lines = keyLines(instance, project);
    return found({
      source: `gce (${new URL(client.base).origin})`,
      userData: decoded(instance),
      metaData: {
        'instance-id': id,
        'availability-zone': zone,
        // Google's names are long, and its own agents take the first label.
        'local-hostname': hostname.split('.')[0],
        'instance-data': instance,
        'project-data': project,
        'public-keys-data': lines,
      },
      cloud: {
        name: 'gce',
        platform: 'gce',
        subplatform: `metadata (${client.base})`,
        ...(projectId === undefined ? {} : { providerId: `gce://${projectId}/${zone}/${name}` }),
        ...(instanceType === undefined ? {} : { instanceType }),
        region: zone.replace(/-[^-]*$/, ''),
        zone,
        addresses: addresses(interfaces),
        ...keysIn(lines, machine.host.clock.now()),
      },
    });
  } finally {
    client.close();
  }
}

/** Google's server says that it is Google's; nothing else that answers there counts. */
async function read(client: MetadataClient, path: string, ask: Ask = {}): Promise<string> {
  const answer = await client.answer(path, ask);
  if (answer === undefined) throw new SourceError('not-yet', `Google's metadata service has no ${path} yet.`);
  if (answer.headers['metadata-flavor'] !== 'Google')
    throw new SourceError('refused', `The server at ${client.base} does not send Metadata-Flavor: Google.`);
  return answer.body.trim();
}

function decoded(instance: Record<string, unknown>): Buffer {
  const text = textOf(instance['user-data']) ?? '';
  return Buffer.from(text, instance['user-data-encoding'] === 'base64' ? 'base64' : 'utf8');
}

function addresses(interfaces: unknown): string[] {
  const first = at(interfaces, 0);
  const outer = at(first, 'accessConfigs', 0, 'externalIp');
  return [at(first, 'ip'), outer, at(first, 'ipv6s', 0)].flatMap((value) => textOf(value) ?? []);
}

/** Keys of the instance, and of the project unless the instance forbids it or has old-style ones. */
function keyLines(instance: Record<string, unknown>, project: Record<string, unknown>): string[] {
  const own = [instance.sshKeys, instance['ssh-keys']];
  const blocked = textOf(instance['block-project-ssh-keys'])?.toLowerCase() === 'true';
  const shared = blocked || textOf(instance.sshKeys) ? [] : [project['ssh-keys'], project.sshKeys];
  return [...own, ...shared].flatMap((text) => textOf(text)?.split('\n') ?? []).filter((line) => line !== '');
}

/** `USER:KEY` lines without those that have expired; the user cloudinit stands for the image's default user. */
function keysIn(lines: readonly string[], now: Date): Pick<Cloud, 'publicKeys' | 'keysByUser'> {
  const keys = lines.flatMap((line) => {
    const [, user = '', key] = /^([^:]+):(.+)$/.exec(line) ?? [];
    const expiry = /google-ssh\s+.*"expireOn"\s*:\s*"([^"]+)"/.exec(key ?? '')?.[1];
    const isOver = expiry !== undefined && Date.parse(expiry) < now.getTime();
    return key === undefined || isOver ? [] : [{ user, key: key.trim() }];
  });
  const byUser = Map.groupBy(keys, ({ user }) => user);
  const of = (user: string): string[] => (byUser.get(user) ?? []).map(({ key }) => key);
  const others = [...byUser.keys()].filter((user) => user !== 'cloudinit');
  return {
    publicKeys: of('cloudinit'),
    keysByUser: Object.fromEntries(others.map((user) => [user, of(user)])),
  };
}
