import { networkInterfaces } from 'node:os';

/** As getifaddrs(3) gives them: of interfaces that are up and have a link. */
export function interfaceAddresses(): { name: string; address: string }[] {
  return Object.entries(networkInterfaces()).flatMap(([name, found = []]) =>
    found.flatMap(({ cidr, address }) => [{ name, address: cidr ?? address }]),
  );
}
