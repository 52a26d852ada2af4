import type { TLSSocket } from 'node:tls';
import { Rates } from '../../kit/rates.ts';
import {
  CHALLENGE_PATH,
  CHANNEL_BYTES,
  CHANNEL_LABEL,
  challengeReplyBody,
  ENROLMENT_VERSION,
  MAX_CHALLENGE_BYTES,
  readChallengeRequest,
} from '../../protocol/attestation.ts';
import {
  CHECKIN_PATH,
  CHECKIN_VERSION,
  MAX_CHECKIN_BYTES,
  readCheckInRequest,
} from '../../protocol/check-in/check-in.ts';
import { MAX_ENROLMENT_BYTES, readEnrolRequest } from '../../protocol/enrolment.ts';
import { EVENTS_VERSION } from '../../protocol/events.ts';
import { ENROL_PATH, EVENTS_PATH, MAX_BATCH_BYTES } from '../../protocol/exchange.ts';
import {
  KUBELET_KEY_PATH,
  MAX_KUBELET_KEY_BYTES,
  readKubeletKeyRequest,
} from '../../protocol/kubelet-key.ts';
import { readBatch } from '../../protocol/read-events.ts';
import {
  MAX_SECRET_RELEASE_REQUEST_BYTES,
  readSecretReleaseRequest,
  SECRET_RELEASE_PATH,
  secretReleaseReplyBody,
} from '../../protocol/secret-release.ts';
import type { Enrolment } from '../attest/enrolment.ts';
import type { PresentedPeer } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import type { KubeletKeys } from '../fresh-proofs/kubelet-keys.ts';
import type { Log } from '../log.ts';
import { nodeKey } from '../model/node-record.ts';
import type { SecretReleaser } from '../secret-release/secret-releaser.ts';
import type { Metrics } from '../web/metrics.ts';
import type { CheckIns } from './check-ins.ts';
import { addressOf } from './guard-handshakes.ts';
import type { EventIntake } from './intake.ts';
import { strangerRefusal } from './refusals.ts';

/** The paths of the API, and how large their bodies may be. */
export const MAX_BYTES = {
  [EVENTS_PATH]: MAX_BATCH_BYTES,
  [ENROL_PATH]: MAX_ENROLMENT_BYTES,
  [CHECKIN_PATH]: MAX_CHECKIN_BYTES,
  [CHALLENGE_PATH]: MAX_CHALLENGE_BYTES,
  [SECRET_RELEASE_PATH]: MAX_SECRET_RELEASE_REQUEST_BYTES,
  [KUBELET_KEY_PATH]: MAX_KUBELET_KEY_BYTES,
} as const;

/** Whoever has no certificate gets nothing of them read. */
export const MACHINE_PATHS: readonly string[] = [EVENTS_PATH, SECRET_RELEASE_PATH, KUBELET_KEY_PATH];

export type EndpointPath = keyof typeof MAX_BYTES;

export function isKnown(path: string | undefined): path is EndpointPath {
  return path !== undefined && Object.hasOwn(MAX_BYTES, path);
}

/** A stranger's path must not become a label. */
export function pathLabel(path: string | undefined): string {
  return isKnown(path) ? path : 'other';
}

/**
 * Requests of one machine for what was sealed, or for a kubelet's key: each is a read of the API server, and a TPM's proof to be
 * checked. A machine waits 5 s between two.
 */
const RELEASES = { perSecond: 0.5, burst: 20 };

/** What the endpoints are served by. */
export interface EndpointParts {
  readonly intake: EventIntake;
  readonly enrolment: Enrolment;
  readonly checkIns: CheckIns;
  /** Absent if there are no Machines to seal something for. */
  readonly releases?: SecretReleaser | undefined;
  /** Absent as well then. */
  readonly kubeletKeys?: KubeletKeys | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** What each path of the API does with a body that has arrived. */
export class Endpoints {
  readonly #parts: EndpointParts;
  readonly #asked = new Rates(RELEASES);

  constructor(parts: EndpointParts) {
    this.#parts = parts;
  }

  /** @returns the answer's body */
  async answer(
    path: EndpointPath,
    bytes: Buffer,
    peer: PresentedPeer | undefined,
    socket: TLSSocket,
  ): Promise<unknown> {
    if (path === CHALLENGE_PATH) return this.#challenge(bytes, socket);
    if (path === SECRET_RELEASE_PATH) return this.#release(bytes, peer, socket);
    if (path === KUBELET_KEY_PATH) return this.#bindKubelet(bytes, peer, socket);
    if (path === CHECKIN_PATH) return this.#checkIn(bytes, peer, socket);
    return path === ENROL_PATH ? this.#enrol(bytes, peer, socket) : this.#store(bytes, peer);
  }

  #challenge(bytes: Buffer, socket: TLSSocket): unknown {
    const asked = readChallengeRequest(bytes);
    const address = addressOf(socket);
    return challengeReplyBody(this.#parts.enrolment.challenge(asked, channelOf(socket), address));
  }

  async #enrol(bytes: Buffer, peer: PresentedPeer | undefined, socket: TLSSocket): Promise<unknown> {
    const { reply, about } = await this.#parts.enrolment.enrol(
      readEnrolRequest(bytes),
      peer,
      channelOf(socket),
    );
    this.#parts.metrics.enrolments.add({ method: about.method });
    this.#parts.log.info('gave a certificate', {
      node: nodeKey(about),
      method: about.method,
      until: reply.expiresAt,
    });
    return reply;
  }

  /** Without a certificate it only says whether a token would do; a stranger learns as little as from an enrolment. */
  async #checkIn(bytes: Buffer, peer: PresentedPeer | undefined, socket: TLSSocket): Promise<unknown> {
    const request = readCheckInRequest(bytes);
    if (peer) {
      const reply = await this.#parts.checkIns.answer(request, peer);
      this.#parts.metrics.checkIns.add({ wants: reply.wants });
      return reply;
    }
    const { token, machine } = request;
    if (token === undefined) throw strangerRefusal();
    await this.#parts.enrolment.examine(token, machine, channelOf(socket));
    this.#parts.metrics.checkIns.add({ wants: 'to-enrol' });
    return { version: CHECKIN_VERSION, wants: 'nothing' };
  }

  async #release(bytes: Buffer, peer: PresentedPeer | undefined, socket: TLSSocket): Promise<unknown> {
    if (!peer) throw strangerRefusal();
    if (!this.#parts.releases)
      throw new Refused('not-found', 'there are no Machines here to seal something for');
    this.#limitProofs(peer);
    const asked = readSecretReleaseRequest(bytes);
    const { reply, machine, by } = await this.#parts.releases.release(asked, peer, channelOf(socket));
    this.#parts.metrics.releases.add({ by });
    this.#parts.log.info('released sealed user data', {
      node: nodeKey(peer),
      machine,
      by,
      digest: reply.digest,
    });
    return secretReleaseReplyBody(reply);
  }

  async #bindKubelet(bytes: Buffer, peer: PresentedPeer | undefined, socket: TLSSocket): Promise<unknown> {
    if (!peer) throw strangerRefusal();
    if (!this.#parts.kubeletKeys)
      throw new Refused('not-found', 'there are no Machines here whose kubelets had keys');
    this.#limitProofs(peer);
    const asked = readKubeletKeyRequest(bytes);
    const about = await this.#parts.kubeletKeys.bind(asked, peer, channelOf(socket));
    this.#parts.metrics.kubeletKeys.add({ by: about.by });
    this.#parts.log.info("noted a kubelet's key", { node: nodeKey(peer), ...about });
    return { version: ENROLMENT_VERSION };
  }

  /** Bounds how often a machine proves itself anew. */
  #limitProofs(peer: PresentedPeer): void {
    const waitMs = this.#asked.take(peer.binding);
    if (waitMs > 0) throw new Refused('slow-down', 'too many proofs', { retryAfterMs: waitMs });
  }

  async #store(bytes: Buffer, peer: PresentedPeer | undefined): Promise<unknown> {
    if (!peer) throw strangerRefusal();
    const began = performance.now();
    const { stored, phase } = await this.#parts.intake.take(peer, readBatch(bytes));
    this.#parts.metrics.admission.observe((performance.now() - began) / 1000);
    return { version: EVENTS_VERSION, stored, ...this.#parts.checkIns.wish(phase) };
  }
}

/** Names the connection: the same on the machine's end, and nowhere else (RFC 9266). */
function channelOf(socket: TLSSocket): Uint8Array {
  return socket.exportKeyingMaterial(CHANNEL_BYTES, CHANNEL_LABEL, Buffer.alloc(0));
}
