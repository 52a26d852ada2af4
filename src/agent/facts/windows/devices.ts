import type { Reading } from '../reading/fact-reader.ts';
import type { Disk, Facts, NetworkInterface, PciDevice } from '../reading/facts.ts';
import { MAKERS_OF_GPUS } from '../reading/gpu-vendors.ts';
import { defined } from '../reading/omit-undefined.ts';
import type { Instance } from './cim.ts';

/** `PCI\\VEN_10DE&DEV_20B0&SUBSYS_...\\4&...`: Windows' name of a device of PCI. */
const PCI = /^PCI\\VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})/i;
/** Windows' word for a cable with a network behind it (Win32_NetworkAdapter.NetConnectionStatus). */
const CONNECTED = 2;

/** Displays; what computes and shows nothing is not told by the class that is asked. */
export function cardsOf(
  reading: Reading,
  instances: readonly Instance[],
): Pick<Facts, 'gpus' | 'accelerators' | 'displays'> {
  const place = 'Win32_VideoController';
  const cards = instances.flatMap((one): PciDevice[] => {
    const address = text(one.PNPDeviceID);
    const [, vendorId, deviceId] = PCI.exec(address) ?? [];
    if (vendorId === undefined || deviceId === undefined) return [];
    const model = clean(reading, 'gpus[].model', place, one.Name);
    const ids = { vendorId: vendorId.toLowerCase(), deviceId: deviceId.toLowerCase() };
    return [{ address: address.split('\\').at(-1) ?? '', class: '030000', ...ids, ...defined({ model }) }];
  });
  if (cards.length > 0) reading.from.gpus = place;
  const computes = ({ vendorId }: PciDevice) => MAKERS_OF_GPUS.has(vendorId);
  return {
    gpus: cards.filter(computes),
    accelerators: [],
    displays: cards.filter((card) => !computes(card)),
  };
}

export function drivesOf(reading: Reading, instances: readonly Instance[]): Disk[] {
  const place = 'Win32_DiskDrive';
  return instances.flatMap((one): Disk[] => {
    const bytes = Number(one.Size);
    const name = text(one.DeviceID).replace(/^\\\\\.\\/, '');
    if (name === '' || !(bytes > 0)) return [];
    reading.from['disks[].bytes'] = place;
    const sector = Number(one.BytesPerSector);
    const transport = text(one.InterfaceType).toLowerCase();
    const isRemovable = /removable/i.test(text(one.MediaType));
    return [
      {
        name,
        bytes,
        ...(isRemovable ? { removable: true as const } : {}),
        ...defined({
          model: clean(reading, 'disks[].model', place, one.Model),
          serial: clean(reading, 'disks[].serial', place, one.SerialNumber),
          transport: transport === '' ? undefined : transport,
          sectorBytes: sector > 0 ? sector : undefined,
        }),
      },
    ];
  });
}

/** Adapters with hardware or a hypervisor behind them; without CIM those that have an address, but the loopback. */
export function adaptersOf(
  reading: Reading,
  instances: readonly Instance[],
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
  reading.from['interfaces[].mac'] = place;
  return physical.map((one) => {
    const name = text(one.NetConnectionID);
    const speed = Math.round(Number(one.Speed) / 1e6);
    const mac = text(one.MACAddress).toLowerCase();
    return {
      name,
      addresses: addresses(name),
      ...defined({
        mac: /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac) ? mac : undefined,
        state: one.NetConnectionStatus === CONNECTED ? 'up' : 'down',
        speedMbps: speed > 0 && speed < 1e7 ? speed : undefined,
      }),
    };
  });
}

function clean(reading: Reading, fact: string, place: string, value: unknown): string | undefined {
  const given = text(value).trim();
  if (given === '') return undefined;
  reading.from[fact] = place;
  return reading.clean(fact, place, Buffer.from(given));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
