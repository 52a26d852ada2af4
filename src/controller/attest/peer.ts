import type { TLSSocket } from 'node:tls';

/** The node that a client certificate was given to. */
export interface Peer {
  readonly namespace: string;
  readonly name: string;
  /** Digest of the key it enrolled with: a renewed certificate has another key and the same binding. */
  readonly binding: string;
}

const URI = /^URI:slipway:node\/([a-z0-9.-]{1,253})\/([a-z0-9.-]{1,253})\/([0-9a-f]{64})$/;

/** The name that a node's certificate carries. */
export function peerUri({ namespace, name, binding }: Peer): string {
  return `slipway:node/${namespace}/${name}/${binding}`;
}

/** A connection keeps its certificate, so it is read once. */
const known = new WeakMap<TLSSocket, Peer>();

/** Who holds the connection's certificate; undefined without one, and for one that the authority did not sign. */
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
