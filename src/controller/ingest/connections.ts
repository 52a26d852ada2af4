import type { Server, Socket } from 'node:net';
import { Rates } from './rate.ts';

export interface ConnectionLimits {
  /** Open connections per address. Machines behind one NAT share it. */
  readonly perAddress: number;
  readonly total: number;
  /** New connections per address, after the first `perAddress`. Each costs a key exchange, whoever asks. */
  readonly newPerSecond: number;
}

/**
 * Bounds the connections of each address before it reads a byte or uses a key. A client that opens thousands,
 * or sends a byte a minute on each, only fills its own share.
 */
export class Connections {
  readonly #open = new Map<string, number>();
  #total = 0;
  #closed = 0;

  /** @param now milliseconds of a clock that nobody sets */
  constructor(
    server: Server,
    limits: ConnectionLimits,
    refused: (why: string, address: string) => void,
    now?: () => number,
  ) {
    const rates = new Rates({ perSecond: limits.newPerSecond, burst: limits.perAddress }, now);
    const tooMany = (address: string, mine: number): string | undefined => {
      if (mine >= limits.perAddress) return 'connections-of-address';
      if (rates.take(address) > 0) return 'connects-of-address';
      return this.#total >= limits.total ? 'connections' : undefined;
    };
    server.on('connection', (socket: Socket) => {
      const address = socket.remoteAddress ?? '';
      const mine = this.#open.get(address) ?? 0;
      const why = tooMany(address, mine);
      if (why !== undefined) {
        socket.destroy();
        refused(why, address);
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

  /** Closed connections since the beginning. */
  get closed(): number {
    return this.#closed;
  }
}
