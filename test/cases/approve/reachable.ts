import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface Reachable {
  readonly url: string;
  close(): void;
}

/** An address of this machine that is not its own alone: a tenant's kubeconfig may name no other ones. */
export function outerAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (found === undefined) throw new Error('this machine has no address but loopback; give an interface one');
  return found;
}

/** The test's API server listens on loopback; this lets it be reached as a workload cluster is. */
export async function reachable(port: number): Promise<Reachable> {
  const server = createServer((socket) => {
    const through = connect(port, '127.0.0.1');
    for (const end of [socket, through])
      end.on('error', () => {
        socket.destroy();
        through.destroy();
      });
    socket.pipe(through).pipe(socket);
  });
  await once(server.listen(0, outerAddress()), 'listening');
  const { address, port: outer } = server.address() as AddressInfo;
  return { url: `https://${address}:${outer}`, close: () => void server.close() };
}
