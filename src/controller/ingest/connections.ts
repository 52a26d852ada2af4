import type { Server } from 'node:https';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Open connections of one address. Machines behind one NAT share it. */
  readonly perAddress: number;
  readonly total: number;
}

/**
 * Bounds who holds how many connections before a byte is read or a key is used: a client that opens thousands, or sends
 * a byte a minute on each, only fills its own share.
 */
export class Connections {
  readonly #open = new Map<string, number>();
  #total = 0;
  #closed = 0;

  constructor(server: Server, limits: ConnectionLimits, refused: (why: string, address: string) => void) {
    server.on('connection', (socket: Socket) => {
      const address = socket.remoteAddress ?? '';
      const mine = this.#open.get(address) ?? 0;
      if (mine >= limits.perAddress || this.#total >= limits.total) {
        socket.destroy();
        refused(mine >= limits.perAddress ? 'connections-of-address' : 'connections', address);
        return;
      }
      this.#open.set(address, mine + 1);
      this.#total += 1;
      socket.once('close', () => {
        const left = (this.#open.get(address) ?? 1) - 1;
        if (left === 0) this.#open.delete(address);
        else this.#open.set(address, left);
        this.#total -= 1;
        this.#closed += 1;
      });
    });
  }

  get total(): number {
    return this.#total;
  }

  /** Since the beginning. */
  get closed(): number {
    return this.#closed;
  }
}
