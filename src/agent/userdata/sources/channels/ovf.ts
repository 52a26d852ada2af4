import { textsOf } from '../../../../kit/json.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import { elementAt, parseXml, XmlError } from '../../../platform/metadata/xml.ts';
import { type Found, found, type SourceAnswer } from '../contract/answer.ts';
import { directoryTree, type Tree } from '../contract/tree.ts';
import type { SourceContext } from '../detection/source.ts';
import { readFirst } from '../volumes/labelled-volume.ts';
import { scan } from '../volumes/scan.ts';
import { openGuestRpc } from './guest-rpc.ts';

const SEED = '/var/lib/cloud/seed/ovf';
const NAMES = ['ovf-env.xml', 'ovf_env.xml'];
/** Properties that are metadata; the rest is for others. */
const META = ['seedfrom', 'local-hostname', 'hostname', 'public-keys', 'instance-id'];

/** The OVF environment (`DataSourceOVF`): of a seed directory, of guestinfo, or of the disc that the host puts in. */
export async function readOvf({ machine }: SourceContext): Promise<SourceAnswer> {
  const { host } = machine;
  const seed = await environment(directoryTree(host.files, SEED));
  if (seed !== undefined) return answer(seed, SEED);
  const isVmware = machine.dmi('sys_vendor').startsWith('VMware');
  const rpc = isVmware ? await openGuestRpc(host) : undefined;
  const told = await rpc?.get('ovfEnv');
  if (told !== undefined) return answer(properties(told, 'guestinfo.ovfEnv'), 'com.vmware.guestInfo');
  const discs = (await scan(machine)).filter(({ type }) => type === 'iso9660');
  const disc = await readFirst(machine, discs, environment);
  if (disc !== undefined) return answer(disc.found, disc.device, { fromVolume: true });
  return { kind: 'not-mine', looked: ['ovf: no OVF environment in guestinfo or on a disc'] };
}

/** Azure's discs hold a file of that name too, with a section of Azure's own. */
async function environment(tree: Tree): Promise<Map<string, string> | undefined> {
  for (const name of NAMES) {
    const bytes = await tree.read(name);
    if (bytes === undefined) continue;
    const text = bytes.toString('utf8');
    if (text.includes('http://schemas.dmtf.org/ovf/environment/1') && !text.includes('ProvisioningSection'))
      return properties(text, `${name} of ${tree.place}`);
  }
  return undefined;
}

function properties(text: string, what: string): Map<string, string> {
  try {
    const section = elementAt(parseXml(text), 'PropertySection');
    const rows = section?.children.filter(({ name }) => name === 'Property') ?? [];
    return new Map(
      rows.map(({ attributes }) => [attributes.get('key') ?? '', attributes.get('value') ?? '']),
    );
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new SourceError('refused', `${what} cannot be read: ${error.message}.`);
  }
}

function answer(
  given: Map<string, string>,
  place: string,
  more: Pick<Found, 'fromVolume'> = {},
): SourceAnswer {
  const metaData = Object.fromEntries(
    [...given]
      .filter(([key]) => META.includes(key))
      .map(([key, value]) => [key === 'hostname' ? 'local-hostname' : key, value]),
  );
  const network = given.get('network-config') ?? '';
  const userData = given.get('user-data') ?? '';
  if (userData === '' && Object.keys(metaData).length === 0)
    return { kind: 'not-mine', looked: [`ovf: the environment of ${place} has no cloud-init property`] };
  const where = `network-config of ovf (${place})`;
  return found({
    source: `ovf (${place})`,
    ...more,
    userData: isBase64(userData) ? Buffer.from(userData, 'base64') : Buffer.from(userData),
    metaData: { 'instance-id': 'iid-dsovf', ...metaData },
    ...(network === ''
      ? {}
      : {
          networkConfig: {
            format: 'cloud-init',
            text: Buffer.from(network, 'base64').toString('utf8'),
            place: where,
          },
        }),
    cloud: {
      ...{ name: 'ovf', platform: 'ovf', subplatform: `ovf (${place})`, addresses: [] },
      publicKeys: textsOf(metaData['public-keys']),
    },
  });
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text) && text.replace(/\s/g, '').length % 4 === 0;
}
