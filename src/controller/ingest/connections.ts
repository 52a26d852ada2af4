import type { Server, Socket } from 'node:net';
import { Rates } from '../../kit/rates.ts';
import { peerAddress } from './peer-address.ts';

export interface ConnectionLimits {
  /** Open connections of strangers per address. Machines behind one NAT share it until they show a certificate. */
  readonly perAddress: number;
  /** Open connections in all; strangers get half of it. */
  readonly total: number;
  /** New connections per address, after the first `perAddress`. Each costs a key exchange, whoever asks. */
  readonly newPerSecond: number;
}

/** A reporter needs one; after a network that broke, the old ones still count. */
const PER_MACHINE = 8;
/** What an address may connect before it counts as one that comes again: enough to enrol. */
const FIRSTS = { perSecond: 0.2, burst: 4 };
/** Most addresses of machines in memory. */
const MAX_KNOWN = 20_000;

interface Open {
  readonly socket: Socket;
  readonly address: string;
  /** Whose certificate it showed; a stranger's has none. */
  machine?: string;
  /** Requests that have arrived and are being answered. */
  answering: number;
}

/**
 * Bounds the connections of each peer before it reads a byte or uses a key. Strangers (whoever has shown no
 * certificate of a machine yet) share half of the room. Where it is short, the oldest connection of the
 * address with the most of them goes, unless its request has arrived: who means it has long been served.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #refused: (why: string, address: string) => void;
  readonly #rates: Rates;
  readonly #firsts: Rates;
  readonly #common: Rates;
  /** By address; the oldest connection first. */
  readonly #strangers = new Map<string, Set<Open>>();
  readonly #machines = new Map<string, Set<Open>>();
  readonly #byPort = new Map<string, Open>();
  /** Addresses from where a machine has shown its certificate; the longest quiet one first. */
  readonly #known = new Set<string>();
  #unproved = 0;
  #closed = 0;

  /** @param now milliseconds of a clock that nobody sets */
  constructor(
    server: Server,
    limits: ConnectionLimits,
    refused: (why: string, address: string) => void,
    now?: () => number,
  ) {
    this.#limits = limits;
    this.#refused = refused;
    const { newPerSecond, perAddress } = limits;
    this.#rates = new Rates({ perSecond: newPerSecond, burst: perAddress }, now);
    this.#firsts = new Rates(FIRSTS, now);
    // All strangers together may do what one address may: where machines came from counts apart.
    this.#common = new Rates({ perSecond: newPerSecond, burst: newPerSecond * 2 }, now);
    // What the server does with a connection (TLS makes objects of it) must wait until it is admitted.
    const accepts = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const address = peerAddress(socket.remoteAddress);
      const why = this.#whyNot(address);
      if (why !== undefined) {
        socket.destroy();
        refused(why, address);
        return;
      }
      this.#add({ socket, address, answering: 0 });
      for (const accept of accepts) accept.call(server, socket);
    });
  }

  get total(): number {
    return this.#byPort.size;
  }

  /** Closed connections since the beginning. */
  get closed(): number {
    return this.#closed;
  }

  /** Has a machine shown its certificate from there? */
  isKnown(address: string): boolean {
    return this.#known.has(address);
  }

  /** The connection has shown the certificate of this machine: it is no stranger's any more. */
  proved(socket: Socket, machine: string): void {
    const open = this.#byPort.get(portOf(socket));
    if (!open || open.machine !== undefined) return;
    this.#leave(open);
    const mine = this.#machines.get(machine) ?? new Set();
    // Where its network broke, the oldest are long dead.
    if (mine.size >= PER_MACHINE && !this.#displace(mine)) {
      open.socket.destroy();
      this.#refused('connections-of-machine', open.address);
    }
    open.machine = machine;
    this.#machines.set(machine, mine.add(open));
    this.#known.delete(open.address);
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.values().next().value ?? '');
    this.#known.add(open.address);
  }

  /** A request on it has arrived whole: it stays until `over` is called. @returns over */
  arrived(socket: Socket): () => void {
    const open = this.#byPort.get(portOf(socket));
    if (!open) return () => undefined;
    open.answering += 1;
    return () => {
      open.answering -= 1;
    };
  }

  #whyNot(address: string): string | undefined {
    if (this.#rates.take(address) > 0) return 'connects-of-address';
    if (!this.#known.has(address)) {
      // An address that comes again and again leaves room to one that comes for the first time.
      const isFirst = this.#firsts.take(address) === 0;
      if (this.#common.take(isFirst ? 'first' : 'again') > 0) return 'connects';
    }
    const mine = this.#strangers.get(address);
    if (mine && mine.size >= this.#limits.perAddress && !this.#displace(mine))
      return 'connections-of-address';
    const { total } = this.#limits;
    if (this.#unproved < total / 2 && this.total < total) return undefined;
    return this.#displace(this.#largest()) ? undefined : 'connections';
  }

  /** The connections of the address that has most of them. */
  #largest(): ReadonlySet<Open> {
    let largest: ReadonlySet<Open> = new Set();
    for (const group of this.#strangers.values()) if (group.size > largest.size) largest = group;
    return largest;
  }

  /** Closes the oldest whose request has not arrived. @returns is there room now? */
  #displace(group: ReadonlySet<Open>): boolean {
    for (const open of group) {
      if (open.answering > 0) continue;
      this.#remove(open);
      open.socket.destroy();
      this.#refused('displaced', open.address);
      return true;
    }
    return false;
  }

  #add(open: Open): void {
    const mine = this.#strangers.get(open.address) ?? new Set();
    this.#strangers.set(open.address, mine.add(open));
    this.#unproved += 1;
    const port = portOf(open.socket);
    this.#byPort.set(port, open);
    open.socket.once('close', () => {
      this.#closed += 1;
      this.#remove(open, port);
    });
  }

  #remove(open: Open, port = portOf(open.socket)): void {
    if (this.#byPort.get(port) !== open) return;
    this.#byPort.delete(port);
    this.#leave(open);
  }

  /** Takes it out of its group. */
  #leave(open: Open): void {
    const [groups, name] =
      open.machine === undefined
        ? ([this.#strangers, open.address] as const)
        : ([this.#machines, open.machine] as const);
    const group = groups.get(name);
    if (!group?.delete(open)) return;
    if (group.size === 0) groups.delete(name);
    if (open.machine === undefined) this.#unproved -= 1;
  }
}

/** Names a connection. */
function portOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
