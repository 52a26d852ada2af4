import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Machine } from '../../lab/lab.ts';

/** A port of this host whose connections begin on a machine: its network is its own. */
export class Relay {
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** @param to ADDRESS:PORT as the machine reaches it */
  static async open(machine: Machine, to: string): Promise<Relay> {
    const server = createServer((socket) => {
      const child = machine.spawn(['socat', '-', `TCP:${to}`], { stdio: ['pipe', 'pipe', 'ignore'] });
      const pipes = [socket, child.stdin, child.stdout].filter((pipe) => pipe !== null);
      // Without its input socat ends by itself; a signal would not reach it through what enters the machine.
      const end = (): void => {
        for (const pipe of pipes) pipe.destroy();
      };
      for (const pipe of pipes) pipe.once('error', end).once('close', end);
      void child.then(end);
      if (child.stdin) socket.pipe(child.stdin);
      child.stdout?.pipe(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Relay(server);
  }

  close(): void {
    this.#server.close();
  }
}
