import { asRecord, type JsonRecord, textsOf } from '../../../../kit/json.ts';
import { basesOf, MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { readMetaData } from '../contract/meta-data.ts';
import type { SourceContext } from '../detection/source.ts';

/** LXD's socket, and Incus's. */
const SOCKETS = ['/dev/lxd/sock', '/dev/incus/sock'];
/** Serial devices that a virtual machine has before its agent makes the socket. */
const PORTS = ['com.canonical.lxd', 'org.linuxcontainers.lxd', 'org.linuxcontainers.incus'];
const MAX_KEYS = 200;

/** How LXD or Incus shows itself. */
export async function detectLxd({ host, has, firstLine }: PlatformInfo): Promise<string | undefined> {
  for (const path of SOCKETS) if (await has(path)) return `${path} is there`;
  for (const name of await host.files.list('/sys/class/virtio-ports')) {
    const port = await firstLine(`/sys/class/virtio-ports/${name}/name`);
    if (PORTS.includes(port)) return `the virtio port ${port}`;
  }
  return undefined;
}

/** LXD and Incus (`DataSourceLXD`): HTTP over a socket that only root may use. */
export async function readLxd({ machine, patienceMs }: SourceContext): Promise<SourceAnswer> {
  const { host } = machine;
  const path = await socketPath(machine);
  if (path === undefined)
    throw new SourceError('not-yet', 'The LXD agent has not created /dev/lxd/sock yet.');
  const socket = await host.files.real(path);
  const client = new MetadataClient(host, {
    ...{ bases: basesOf('http://lxd'), patienceMs, redirects: 'never', called: `LXD's socket ${path}` },
    http: () => ({ socketPath: socket }),
  });
  try {
    const text = (await client.text('/1.0/meta-data')) ?? '';
    const { values, remarks } = readMetaData(Buffer.from(text), `${path} meta-data`);
    const config = await configuration(client);
    const get = (name: string) => config[`cloud-init.${name}`] ?? config[`user.${name}`];
    const [vendorData, network] = [get('vendor-data'), get('network-config')];
    return found({
      source: `lxd (${path})`,
      userData: Buffer.from(get('user-data') ?? '', 'utf8'),
      metaData: values,
      ds: {
        _metadata_api_version: '1.0',
        'meta-data': text,
        config,
        '1.0': asRecord(await client.json('/1.0')) ?? {},
      },
      ...(vendorData === undefined ? {} : { vendorData: Buffer.from(vendorData) }),
      ...(network === undefined
        ? {}
        : { networkConfig: { format: 'cloud-init', text: network, place: 'network-config of lxd' } }),
      ...(remarks.length === 0 ? {} : { remarks }),
      cloud: {
        ...{ name: 'lxd', platform: 'lxd', subplatform: `LXD socket API v. 1.0 (${path})`, addresses: [] },
        publicKeys: textsOf(values['public-keys']),
      },
    });
  } finally {
    client.close();
  }
}

async function socketPath({ has }: PlatformInfo): Promise<string | undefined> {
  for (const path of SOCKETS) if (await has(path)) return path;
  return undefined;
}

/** The instance's keys that the host shows: `/1.0/config` lists their addresses. Keys for other programs stay where they are. */
async function configuration(client: MetadataClient): Promise<Record<string, string>> {
  const listed = await client.json('/1.0/config');
  const paths = Array.isArray(listed) ? textsOf(listed) : [];
  const config: JsonRecord & Record<string, string> = {};
  for (const path of paths.slice(0, MAX_KEYS)) {
    const name = path.replace(/^\/1\.0\/config\//, '');
    if (!/^(?:cloud-init|user)\.[\w.-]+$/.test(name)) continue;
    const value = await client.text(`/1.0/config/${name}`);
    if (value !== undefined) config[name] = value;
  }
  return config;
}
