import { gunzip, isGzip } from '../../../../kit/bytes/gunzip.ts';
import { asRecord, omitUndefined, textOf, textsOf } from '../../../../kit/json.ts';
import type { NetworkConfig } from '../../../platform/instance/instance.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import { MAX_DECODED_BYTES } from '../../../text/limits.ts';
import { found, type SourceAnswer, type SourceCallback } from '../contract/answer.ts';
import { readMetaData } from '../contract/meta-data.ts';
import type { SourceContext } from '../detection/source.ts';
import { type GuestRpc, openGuestRpc } from './guest-rpc.ts';

/** A value of guestinfo by its key, from wherever. */
type Get = (key: string) => Promise<string | undefined>;

/**
 * VMware's guestinfo (`DataSourceVMware`): from the environment where it says so (containers), else from the host. User data is
 * those of cloud-init, else Ignition's.
 */
export async function readGuestinfo({ machine }: SourceContext): Promise<SourceAnswer> {
  const { host } = machine;
  if (textOf(host.env('VMX_GUESTINFO')) !== undefined) {
    const fromEnvironment = await answer(
      machine,
      async (key) => textOf(host.env(`VMX_GUESTINFO_${key.toUpperCase().replaceAll('.', '_')}`)),
      'envvar (VMX_GUESTINFO_METADATA)',
    );
    if (fromEnvironment.kind !== 'not-mine') return fromEnvironment;
  }
  const rpc = await openGuestRpc(host);
  if (rpc === undefined)
    return {
      kind: 'not-mine',
      looked: ['vmware: this is a VMware machine, but neither vmware-rpctool nor vmtoolsd is installed'],
    };
  return answer(machine, (key) => rpc.get(key), 'guestinfo (guestinfo.metadata)', rpc);
}

async function answer(
  machine: PlatformInfo,
  get: Get,
  subplatform: string,
  rpc?: GuestRpc,
): Promise<SourceAnswer> {
  const userData = (await value(get, 'userdata')) ?? (await value(get, 'ignition.config.data'));
  const given = await value(get, 'metadata');
  const vendorData = await value(get, 'vendordata');
  if (userData === undefined && given === undefined && vendorData === undefined)
    return { kind: 'not-mine', looked: ['vmware: guestinfo has no userdata, metadata or vendordata'] };
  const { values, remarks } = readMetaData(given ?? Buffer.alloc(0), 'guestinfo.metadata');
  const { network, 'network.encoding': encoding, ...metaData } = values;
  const networkConfig = networkOf(network, textOf(encoding));
  const uuid = vmUuid(machine);
  const keys = ['public-keys-data', 'public_keys_data', 'public-keys', 'public_keys'].map(
    (name) => metaData[name],
  );
  const providerId = uuid === undefined ? {} : { providerId: `vsphere://${uuid}` };
  return found({
    source: `vmware (${subplatform})`,
    userData: userData ?? Buffer.alloc(0),
    metaData: {
      'instance-id': machine.dmi('product_uuid').toLowerCase(),
      ...metaData,
      ...(network === undefined ? {} : { network }),
    },
    ...omitUndefined({ vendorData, networkConfig }),
    ...(remarks.length === 0 ? {} : { remarks }),
    cloud: {
      ...{ name: 'vmware', platform: 'vmware', subplatform, addresses: [], ...providerId },
      publicKeys: textsOf(keys.find((each) => each !== undefined)),
    },
    callbacks: rpc === undefined ? [] : redaction(rpc, metaData.redact ?? metaData['cleanup-guestinfo']),
  });
}

/** A value with what `KEY.encoding` says undone. */
async function value(get: Get, key: string): Promise<Buffer | undefined> {
  const text = await get(key);
  return text === undefined
    ? undefined
    : decoded(text, (await get(`${key}.encoding`)) ?? '', `guestinfo.${key}`);
}

function decoded(text: string, encoding: string, what: string): Buffer {
  const name = encoding.trim().toLowerCase();
  if (name === '') return Buffer.from(text);
  if (!['base64', 'b64', 'gzip+base64', 'gz+b64'].includes(name))
    throw new SourceError('refused', `${what} has an unknown encoding; use base64 or gzip+base64.`);
  const bytes = Buffer.from(text, 'base64');
  if (!name.startsWith('g')) return bytes;
  const plain = isGzip(bytes) ? gunzip(bytes, MAX_DECODED_BYTES) : undefined;
  if (plain === undefined || !('bytes' in plain))
    throw new SourceError(
      'refused',
      `${what} is not base64-encoded gzip, although its encoding is gzip+base64.`,
    );
  return plain.bytes;
}

function networkOf(network: unknown, encoding: string | undefined): NetworkConfig | undefined {
  const place = 'network of guestinfo.metadata';
  if (typeof network === 'string')
    return { format: 'cloud-init', text: decoded(network, encoding ?? '', place).toString('utf8'), place };
  return asRecord(network) === undefined
    ? undefined
    : { format: 'cloud-init', text: JSON.stringify(network, plainNumbers), place };
}

function plainNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * Keys that the metadata want blanked, so that no later reader of guestinfo sees them. That is done once the machine no longer
 * needs them: blanked before, a crash would lose them.
 */
function redaction(rpc: GuestRpc, keys: unknown): SourceCallback[] {
  const names = textsOf(keys).filter((name) => /^[\w.-]+$/.test(name));
  if (names.length === 0) return [];
  return [
    {
      when: 'succeeded',
      title: `blank guestinfo.{${names.join(',')}}`,
      async run() {
        for (const name of names) {
          await rpc.set(name, '---');
          await rpc.set(`${name}.encoding`, '');
        }
      },
    },
  ];
}

/** The UUID as vSphere's cloud provider forms it: from the serial number, whose bytes are in the right order. */
function vmUuid({ dmi }: PlatformInfo): string | undefined {
  const hex = dmi('product_serial')
    .replace(/^VMware-/, '')
    .replace(/[^0-9a-fA-F]/g, '')
    .toLowerCase();
  if (hex.length !== 32) return undefined;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
