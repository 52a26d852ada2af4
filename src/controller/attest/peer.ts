import type { TLSSocket } from 'node:tls';
import { BACKDATE_MS } from '../../pki/authority.ts';

/** The node that owns a client certificate. */
export interface Peer {
  readonly namespace: string;
  readonly name: string;
  /** Digest of the key with which it enrolled. A renewed certificate has another key but the same binding. */
  readonly binding: string;
}

/** What a certificate that was shown says. */
export interface PresentedPeer extends Peer {
  /** The certificate's serial number, in lower-case hex. */
  readonly serial: string;
  /** When it was made, by the controller's clock, in milliseconds since 1970. */
  readonly madeAt: number;
}

interface Known {
  readonly peer: PresentedPeer;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

const URI = /^URI:slipway:node\/([a-z0-9.-]{1,253})\/([a-z0-9.-]{1,253})\/([0-9a-f]{64})$/;

/** The name in a node's certificate. */
export function peerUri({ namespace, name, binding }: Peer): string {
  return `slipway:node/${namespace}/${name}/${binding}`;
}

/** A connection keeps its certificate, so it is parsed once. */
const known = new WeakMap<TLSSocket, Known>();

/**
 * The holder of the connection's certificate; undefined if there is none, our authority did not sign it, or it
 * has expired. TLS looks at the dates when a session begins; connections are kept and sessions are resumed for
 * longer than that, so this looks again at each request.
 */
export function peerOf(socket: TLSSocket, now = Date.now()): PresentedPeer | undefined {
  const found = known.get(socket) ?? read(socket);
  if (!found || found.notAfter < now) return undefined;
  known.set(socket, found);
  return found.peer;
}

function read(socket: TLSSocket): Known | undefined {
  if (!socket.authorized) return undefined;
  const { subjectaltname = '', serialNumber = '', valid_from, valid_to } = socket.getPeerCertificate();
  const [, namespace, name, binding] = URI.exec(subjectaltname) ?? [];
  if (!namespace || !name || !binding) return undefined;
  const peer = {
    namespace,
    name,
    binding,
    serial: serialNumber.toLowerCase(),
    madeAt: Date.parse(valid_from) + BACKDATE_MS,
  };
  return { peer, notAfter: Date.parse(valid_to) };
}
