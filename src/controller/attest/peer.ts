import type { TLSSocket } from 'node:tls';

/** The node that owns a client certificate. */
export interface Peer {
  readonly namespace: string;
  readonly name: string;
  /** Digest of the key with which it enrolled. A renewed certificate has another key but the same binding. */
  readonly binding: string;
}

const URI = /^URI:slipway:node\/([a-z0-9.-]{1,253})\/([a-z0-9.-]{1,253})\/([0-9a-f]{64})$/;

/** The name in a node's certificate. */
export function peerUri({ namespace, name, binding }: Peer): string {
  return `slipway:node/${namespace}/${name}/${binding}`;
}

/** A connection keeps its certificate, so it is parsed once. */
const known = new WeakMap<TLSSocket, Peer>();

/**
 * The holder of the connection's certificate; undefined if there is none or our authority did not sign it.
 */
export function peerOf(socket: TLSSocket): Peer | undefined {
  const found = known.get(socket);
  if (found) return found;
  if (!socket.authorized) return undefined;
  const [, namespace, name, binding] = URI.exec(socket.getPeerCertificate().subjectaltname ?? '') ?? [];
  if (!namespace || !name || !binding) return undefined;
  const peer = { namespace, name, binding };
  known.set(socket, peer);
  return peer;
}
