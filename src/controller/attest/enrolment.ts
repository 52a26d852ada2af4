import { createHash, type KeyObject } from 'node:crypto';
import { type Authority, keyDigest } from '../../pki/authority.ts';
import { readCsrKey } from '../../pki/read-csr.ts';
import { ENROLMENT_VERSION, type EnrolReply, type EnrolRequest } from '../../protocol/enrolment.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import type { MachineTie, NodeRecord } from '../model/node-record.ts';
import type { Owner, Store } from '../store/store.ts';
import type { Attestor, Claim } from './attestor.ts';
import { type Peer, peerUri } from './peer.ts';
import { Refused } from './refused.ts';

/** Finds the Machine of a node. */
export interface Ties {
  /** @throws Refused if it finds the Machine and this node cannot be it */
  find(
    claim: Claim,
    machine: MachineIdentity,
  ): { tie: MachineTie; namespace: string; owner: Owner } | undefined;
}

export interface EnrolmentParts {
  readonly store: Store;
  readonly authority: () => Authority;
  readonly attestors: readonly Attestor[];
  /** Absent if there are no Machines. */
  readonly ties?: Ties;
  readonly certificateMs: number;
}

/** Exchanges proofs of identity for client certificates. */
export class Enrolment {
  readonly #parts: EnrolmentParts;

  constructor(parts: EnrolmentParts) {
    this.#parts = parts;
  }

  /**
   * @param peer the holder of the connection's certificate, if it has one
   * @returns the answer, and for the log who enrolled and how
   * @throws Refused, StoreBusy
   */
  async enrol(
    request: EnrolRequest,
    peer: Peer | undefined,
  ): Promise<{ reply: EnrolReply; about: Peer & { method: string } }> {
    const key = csrKey(request.csr);
    if (request.token === undefined) return this.#renew(request, key, peer);
    const claim = await this.#prove(request, key);
    const node = await this.#node(claim, request.machine, keyDigest(key));
    const about = {
      namespace: node.namespace,
      name: node.name,
      binding: node.spec.keyDigest,
      method: claim.method,
    };
    return { reply: this.#certify(about, key), about };
  }

  async #renew(request: EnrolRequest, key: KeyObject, peer: Peer | undefined) {
    if (!peer) throw new Refused('unauthorized', 'the request has neither a token nor a certificate');
    const node = await this.#parts.store.find(peer.namespace, peer.name);
    if (node?.spec.keyDigest !== peer.binding) {
      throw new Refused('unauthorized', 'the certificate is of a node that is gone or has enrolled again');
    }
    if (node.spec.instance !== request.machine.instance) {
      throw new Refused('forbidden', 'the certificate is of another machine', { words: WRONG_MACHINE });
    }
    return { reply: this.#certify(peer, key), about: { ...peer, method: 'certificate' } };
  }

  async #prove(request: EnrolRequest, key: KeyObject): Promise<Claim> {
    for (const attestor of this.#parts.attestors) {
      const claim = await attestor.attest({ token: request.token, machine: request.machine, key });
      if (claim) return claim;
    }
    throw new Refused('unauthorized', 'the token is of no known kind');
  }

  /**
   * Creates the node. If it exists, only the machine that created it may continue: perhaps its answer was
   * lost.
   */
  async #node(claim: Claim, machine: MachineIdentity, digest: string): Promise<NodeRecord> {
    const found = this.#parts.ties?.find(claim, machine);
    const namespace = found?.namespace ?? claim.namespace;
    const name = found?.tie.name ?? claim.nodeName ?? untiedName(machine);
    const spec = {
      instance: machine.instance,
      hostname: machine.hostname,
      ...(machine.providerID === undefined ? {} : { providerID: machine.providerID }),
      keyDigest: digest,
      enrolment: {
        method: claim.method,
        at: new Date().toISOString(),
        ...(claim.token === undefined ? {} : { token: claim.token }),
      },
      ...(found ? { machine: found.tie } : {}),
    };
    const { store } = this.#parts;
    const node =
      (await store.create(namespace, name, spec, found?.owner)) ?? (await store.find(namespace, name));
    if (node?.spec.keyDigest === digest && node.spec.instance === machine.instance) return node;
    throw new Refused(
      'unauthorized',
      `${namespace}/${name} has enrolled already, with another key; to let a rebuilt machine enrol, delete its NodeBootstrap`,
    );
  }

  #certify(node: Peer, key: KeyObject): EnrolReply {
    const authority = this.#parts.authority();
    const { certificate, expiresAt } = authority.sign(
      {
        use: 'client',
        // RFC 5280 allows 64 characters; the URI has the full name.
        name: node.name.slice(0, 64),
        organization: 'slipway:nodes',
        uri: peerUri(node),
        publicKey: key,
      },
      this.#parts.certificateMs,
    );
    return {
      version: ENROLMENT_VERSION,
      certificate,
      ca: authority.certificate,
      expiresAt: expiresAt.toISOString(),
    };
  }
}

export const WRONG_MACHINE =
  'The certificate on this machine was given to another one: its disk was probably copied. Remove /var/lib/slipway from the image.';

function csrKey(csr: string): KeyObject {
  try {
    return readCsrKey(csr);
  } catch (error) {
    throw new Refused('bad-request', (error as Error).message);
  }
}

/** A name for a node whose Machine is unknown: readable, and different for each instance. */
function untiedName({ hostname, instance }: MachineIdentity): string {
  const readable =
    hostname
      .toLowerCase()
      .split('.')[0]
      ?.replace(/[^a-z0-9-]+/g, '-') ?? '';
  const trimmed = readable.slice(0, 50).replace(/^-+|-+$/g, '') || 'node';
  return `${trimmed}-${createHash('sha256').update(instance).digest('hex').slice(0, 8)}`;
}
