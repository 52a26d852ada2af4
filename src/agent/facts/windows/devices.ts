import { omitUndefined } from '../../../kit/json.ts';
import type { FactReader } from '../reading/fact-reader.ts';
import type { Disk, Facts, NetworkInterface, PciDevice } from '../reading/facts.ts';
import { GPU_VENDORS } from '../reading/gpu-vendors.ts';
import type { CimInstance } from './cim.ts';

/** `PCI\\VEN_10DE&DEV_20B0&SUBSYS_...\\4&...`: Windows' name of a device of PCI. */
const PCI = /^PCI\\VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})/i;
/** Windows' word for a cable with a network behind it (Win32_NetworkAdapter.NetConnectionStatus). */
const CONNECTED = 2;

/** Displays; what computes and shows nothing is not told by the class that is asked. */
export function displayAdaptersOf(
  reader: FactReader,
  instances: readonly CimInstance[],
): Pick<Facts, 'gpus' | 'accelerators' | 'displays'> {
  const place = 'Win32_VideoController';
  const cards = instances.flatMap((one): PciDevice[] => {
    const address = text(one.PNPDeviceID);
    const [, vendorId, deviceId] = PCI.exec(address) ?? [];
    if (vendorId === undefined || deviceId === undefined) return [];
    const model = clean(reader, 'gpus[].model', place, one.Name);
    const ids = { vendorId: vendorId.toLowerCase(), deviceId: deviceId.toLowerCase() };
    return [
      { address: address.split('\\').at(-1) ?? '', class: '030000', ...ids, ...omitUndefined({ model }) },
    ];
  });
  if (cards.length > 0) reader.from.gpus = place;
  const computes = ({ vendorId }: PciDevice) => GPU_VENDORS.has(vendorId);
  return {
    gpus: cards.filter(computes),
    accelerators: [],
    displays: cards.filter((card) => !computes(card)),
  };
}

export function disksOf(reader: FactReader, instances: readonly CimInstance[]): Disk[] {
  const place = 'Win32_DiskDrive';
  return instances.flatMap((one): Disk[] => {
    const bytes = Number(one.Size);
    const name = text(one.DeviceID).replace(/^\\\\\.\\/, '');
    if (name === '' || !(bytes > 0)) return [];
    reader.from['disks[].bytes'] = place;
    const sector = Number(one.BytesPerSector);
    const transport = text(one.InterfaceType).toLowerCase();
    const isRemovable = /removable/i.test(text(one.MediaType));
    return [
      {
        name,
        bytes,
        ...(isRemovable ? { removable: true as const } : {}),
        ...omitUndefined({
          model: clean(reader, 'disks[].model', place, one.Model),
          serial: clean(reader, 'disks[].serial', place, one.SerialNumber),
          transport: transport === '' ? undefined : transport,
          sectorBytes: sector > 0 ? sector : undefined,
        }),
      },
    ];
  });
}

/** Adapters with hardware or a hypervisor behind them; without CIM those that have an address, but the loopback. */
export function networkAdaptersOf(
  reader: FactReader,
  instances: readonly CimInstance[],
  known: readonly { name: string; address: string }[],
): NetworkInterface[] {
  const addresses = (name: string) => known.filter((one) => one.name === name).map(({ address }) => address);
  const place = 'Win32_NetworkAdapter';
  const physical = instances.filter(
    (one) => one.PhysicalAdapter === true && text(one.NetConnectionID) !== '',
  );
  if (physical.length === 0) {
    const named = new Set(
      known.filter(({ address }) => !/^(?:127\.|::1)/.test(address)).map(({ name }) => name),
    );
    return [...named].map((name) => ({ name, addresses: addresses(name) }));
  }
  reader.from['interfaces[].mac'] = place;
  return physical.map((one) => {
    const name = text(one.NetConnectionID);
    const speed = Math.round(Number(one.Speed) / 1e6);
    const mac = text(one.MACAddress).toLowerCase();
    return {
      name,
      addresses: addresses(name),
      ...omitUndefined({
        mac: /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac) ? mac : undefined,
        state: one.NetConnectionStatus === CONNECTED ? 'up' : 'down',
        speedMbps: speed > 0 && speed < 1e7 ? speed : undefined,
      }),
    };
  });
}

function clean(reader: FactReader, fact: string, place: string, value: unknown): string | undefined {
  const given = text(value).trim();
  if (given === '') return undefined;
  reader.from[fact] = place;
  return reader.clean(fact, place, Buffer.from(given));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
