import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { HandshakeBudget, type HandshakeLimits } from './handshake-budget.ts';
import { HandshakeGate } from './handshake-gate.ts';
import { peerAddress } from './peer-address.ts';

/** Handshakes from where a machine has shown its certificate: two hundred a second, as long as they are honest. */
const OF_MACHINES: HandshakeLimits = { msPerSecond: 400, burstMs: 200, mostWaiting: 512 };
/** All others; they leave the thread to those that are proved. */
const OF_STRANGERS: HandshakeLimits = { msPerSecond: 200, burstMs: 100, mostWaiting: 512 };

/** TLS tells nobody from which stream it reads. */
const raws = new WeakMap<Socket, Socket>();

/** The connection that carries this one of TLS. */
export function rawSocket(socket: Socket): Socket {
  return raws.get(socket) ?? socket;
}

/** What the address of the other end counts as. */
export function addressOf(socket: Socket): string {
  return peerAddress(rawSocket(socket).remoteAddress);
}

interface GuardParts {
  /** Has a machine shown its certificate from this address? */
  readonly isKnown: (address: string) => boolean;
  readonly refused: (why: string, address: string) => void;
  /** How handshakes of machines and those of strangers share the thread. */
  readonly machines?: HandshakeBudget;
  readonly strangers?: HandshakeBudget;
}

/** Puts a gate before each connection of a server for TLS, so that nobody's handshake costs others much. */
export function guardHandshakes(
  server: Server,
  {
    isKnown,
    refused,
    machines = new HandshakeBudget(OF_MACHINES),
    strangers = new HandshakeBudget(OF_STRANGERS),
  }: GuardParts,
): void {
  // What TLS calls back for a connection runs in the context in which it was made.
  const making = new AsyncLocalStorage<HandshakeGate>();
  const accepts = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (raw: Socket) => {
    const address = peerAddress(raw.remoteAddress);
    const gate: HandshakeGate = new HandshakeGate(raw, {
      turn: (step) =>
        (isKnown(address) ? machines : strangers).take(address, step, () => {
          refused('handshakes', address);
          gate.destroy();
        }),
      refused: () => refused('handshake-bytes', address),
    });
    making.run(gate, () => {
      for (const accept of accepts) accept.call(server, gate);
    });
  });
  const remember = (socket: TLSSocket): HandshakeGate | undefined => {
    const gate = making.getStore();
    if (gate) raws.set(socket, gate.raw);
    return gate;
  };
  server.prependListener('tlsClientError', (_: Error, socket: TLSSocket) => remember(socket));
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const gate = remember(socket);
    if (gate) gate.open();
    // Its limits would be nobody's.
    else socket.destroy();
  });
}
