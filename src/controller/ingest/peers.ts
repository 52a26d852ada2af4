import type { TLSSocket } from 'node:tls';

/** Open connections of machines that showed a certificate, by the key of their node. */
export class Peers {
  readonly #open = new Map<string, Set<TLSSocket>>();

  /** Called at each request. */
  add(keyDigest: string, socket: TLSSocket): void {
    const known = this.#open.get(keyDigest);
    if (known?.has(socket)) return;
    const sockets = known ?? new Set<TLSSocket>();
    this.#open.set(keyDigest, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && this.#open.get(keyDigest) === sockets) this.#open.delete(keyDigest);
    });
  }

  /** What is under way on them is lost, and its machine sends it again where it still may. */
  hangUp(keyDigest: string): void {
    for (const socket of this.#open.get(keyDigest) ?? []) socket.destroy();
  }
}
