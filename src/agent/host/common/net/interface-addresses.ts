/** As getifaddrs(3) gives them: of interfaces that are up and have a link. */
export function interfaceAddresses(): { name: string; address: string }[] {
  // Loaded late: no bootstrap needs it.
  const { networkInterfaces } = process.getBuiltinModule('node:os');
  return Object.entries(networkInterfaces()).flatMap(([name, found = []]) =>
    found.flatMap(({ cidr, address }) => [{ name, address: cidr ?? address }]),
  );
}
