import { type Host, HostError } from '../host/host.ts';

const FILE = '/sys/class/dmi/id/product_uuid';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What boards say that nobody has given a UUID: the same digit everywhere, or one of the makers' fillers. */
const OF_NOBODY =
  /^(?:([0-9a-f])(?:\1|-)*|03000200-0400-0500-0006-000700080009|12345678-1234-.*|fefefefe-fefe-.*)$/;

/** The UUID that firmware or hypervisor gave this machine, in small letters; undefined where it has none of its own. */
export async function machineUuid(host: Host): Promise<string | undefined> {
  const bytes = await host.files.readIfPresent(FILE, 4096).catch((error: unknown) => {
    if (error instanceof HostError) return undefined;
    throw error;
  });
  const uuid = bytes?.toString('latin1').trim().toLowerCase() ?? '';
  return UUID.test(uuid) && !OF_NOBODY.test(uuid) ? uuid : undefined;
}

/** The first three fields have no agreed byte order: another firmware, or kernel, shows the same UUID the other way round. */
export function isAnotherMachine(before: string, now: string): boolean {
  return now !== before && now !== otherWayRound(before);
}

function otherWayRound(uuid: string): string {
  const [first = '', second = '', third = '', ...others] = uuid.split('-');
  const turned = [first, second, third].map((field) => Buffer.from(field, 'hex').reverse().toString('hex'));
  return [...turned, ...others].join('-');
}
