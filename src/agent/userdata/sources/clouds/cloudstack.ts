import { ipFamily } from '../../../../kit/ip-family.ts';
import type { Host } from '../../../host/host.ts';
import { readAll } from '../../../host/windows-registry.ts';
import { basesOf } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { found, type SourceAnswer } from '../contract/answer.ts';
import { metadataClientFor } from '../detection/configured.ts';
import type { SourceContext } from '../detection/source.ts';
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
      'CloudStack: the address of the virtual router is unknown, because there is no DHCP lease or default route yet.',
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

const MAX_BYTES = 256 * 1024;
const INTERFACES = 'HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters\\Interfaces';
/** Directories of leases, and how each client writes the server's address. The last one in a file counts. */
const LEASES: readonly (readonly [directory: string, pattern: RegExp])[] = [
  ['/run/systemd/netif/leases', /^SERVER_ADDRESS=(\S+)$/gm],
  ['/run/NetworkManager/devices', /^dhcp_server_identifier=(\S+)$/gm],
  ['/var/lib/NetworkManager', /^SERVER_ADDRESS=(\S+)$/gm],
  ['/var/lib/dhcp', /dhcp-server-identifier (\S+);/g],
  ['/var/lib/dhclient', /dhcp-server-identifier (\S+);/g],
];

/** Who may be the virtual router: servers of DHCP leases, then the default gateway. */
export async function virtualRouters(host: Host): Promise<string[]> {
  if (host.platform === 'windows') return routersOfWindows(host);
  const found: string[] = [];
  for (const [directory, pattern] of LEASES)
    for (const name of await host.files.list(directory)) {
      const text = await textOf(host, `${directory}/${name}`);
      const last = [...text.matchAll(pattern)].at(-1)?.[1];
      if (last !== undefined) found.push(last);
    }
  return [...new Set([...found, ...(await gateways(host))])].filter((address) => ipFamily(address) === 4);
}

/** Several values of one name lie behind each other, with `\\0` between them. */
async function routersOfWindows(host: Host): Promise<string[]> {
  const found: string[] = [];
  for (const name of ['DhcpServer', 'DhcpDefaultGateway', 'DefaultGateway'])
    found.push(...(await readAll(host, INTERFACES, name)).flatMap((text) => text.split('\\0')));
  return [...new Set(found)].filter((address) => ipFamily(address) === 4 && !/^(?:0|255)\./.test(address));
}

/** Default routes of /proc/net/route, which has addresses as hexadecimal numbers in the machine's order of bytes. */
async function gateways(host: Host): Promise<string[]> {
  const rows = (await textOf(host, '/proc/net/route')).split('\n').map((line) => line.split(/\s+/));
  return rows.flatMap(([, destination, gateway = '']) =>
    destination === '00000000' && /^[0-9A-F]{8}$/.test(gateway) && gateway !== '00000000'
      ? [[...Buffer.from(gateway, 'hex').reverse()].join('.')]
      : [],
  );
}

async function textOf({ files }: Host, path: string): Promise<string> {
  const stat = await files.stat(path);
  if (stat?.kind !== 'file') return '';
  return (await files.readIfPresent(path, MAX_BYTES).catch(() => undefined))?.toString('latin1') ?? '';
}
