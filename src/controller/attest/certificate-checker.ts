import type { CertificateState, NodeRecord, NodeSpec, WatchedNode } from '../model/node-record.ts';
import { type Store, StoreBusy } from '../store/store.ts';
import { admissionRefusal } from './judge.ts';
import type { PresentedPeer } from './peer.ts';
import { Refused, unsettledRefusal } from './refused.ts';

interface BearerParts {
  readonly store: Store;
  /** The node that enrolled with this key: a node that was tied late has its Machine's name since. */
  readonly nodeOfKey: (keyDigest: string) => { namespace: string; name: string } | undefined;
  /** Absent if there are no Machines. */
  readonly isGone?: (spec: NodeSpec) => boolean;
  /** What is written of it now may be left behind, or lose what was there. Absent if there are no Machines. */
  readonly isUnsettled?: (record: WatchedNode) => boolean;
  /** Called when a certificate that was replaced is shown, at most every ten minutes for a node. */
  readonly copied?: (record: NodeRecord) => void;
}

const MAX_TRIES = 3;
const COPIED_MS = 10 * 60_000;

/** Finds out whether a certificate, which TLS has checked, still speaks for a node. */
export class CertificateChecker {
  readonly #parts: BearerParts;

  constructor(parts: BearerParts) {
    this.#parts = parts;
  }

  /** True if nothing has to be read or written: the ordinary case. */
  isCurrent(record: WatchedNode, peer: PresentedPeer): boolean {
    const { spec } = record;
    return (
      spec.keyDigest === peer.binding &&
      standing(spec.certificate, peer) === 'current' &&
      spec.admission?.state !== 'Quarantined' &&
      !this.#parts.isGone?.(spec) &&
      !this.#parts.isUnsettled?.(record)
    );
  }

  /** True if, as far as this record says, another certificate has taken the place of this one. */
  isReplaced({ spec }: NodeRecord, peer: PresentedPeer): boolean {
    return spec.keyDigest === peer.binding && standing(spec.certificate, peer) === 'superseded';
  }

  /**
   * The node of a certificate. The first use of a new certificate ends the one before.
   *
   * @throws Refused, StoreBusy
   */
  async admit(peer: PresentedPeer): Promise<NodeRecord> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const record = await this.#find(peer);
      const where = `${peer.namespace}/${peer.name}`;
      if (!record) {
        throw new Refused(
          'unauthorized',
          `${where} is gone or has enrolled again; this certificate no longer counts`,
          { isFormer: true },
        );
      }
      if (this.#parts.isGone?.(record.spec)) {
        throw new Refused('unauthorized', `the Machine of ${where} is gone`, { isFormer: true });
      }
      if (this.#parts.isUnsettled?.(record)) throw unsettledRefusal(where);
      // A machine that was refused for its boot state may still say what happened to it.
      if (record.spec.admission?.state === 'Quarantined') throw admissionRefusal(record.spec.admission);
      const is = standing(record.spec.certificate, peer);
      if (is === 'current') return record;
      // A record that was put back from a backup knows less than the machine.
      if (is === 'newer') {
        const madeAt = new Date(peer.madeAt).toISOString();
        const after = await this.#parts.store.certify(record, { serial: peer.serial, madeAt });
        if (after) return after;
        continue;
      }
      if (is === 'superseded') {
        await this.#tellOfCopy(record);
        throw new Refused(
          'unauthorized',
          `the certificate of ${where} was replaced by a newer one; this is a copy of its disk, or the newer one is with a copy`,
          { isFormer: true },
        );
      }
      const { next: _, ...rest } = { ...record.spec.certificate, serial: peer.serial };
      const after = await this.#parts.store.certify(record, rest);
      if (after) return after;
    }
    throw new StoreBusy(`${peer.namespace}/${peer.name} is being written by others`);
  }

  /** The machine that is shut out cannot tell anybody, so its record does. */
  async #tellOfCopy(record: NodeRecord): Promise<void> {
    const { certificate } = record.spec;
    const now = Date.now();
    if (!certificate || now - Date.parse(certificate.copied ?? '') < COPIED_MS) return;
    const copied = new Date(now).toISOString();
    if (await this.#parts.store.certify(record, { ...certificate, copied })) this.#parts.copied?.(record);
  }

  async #find({ namespace, name, binding }: PresentedPeer): Promise<NodeRecord | undefined> {
    const { store, nodeOfKey } = this.#parts;
    const record = await store.find(namespace, name);
    if (record?.spec.keyDigest === binding) return record;
    const known = nodeOfKey(binding);
    if (!known || known.namespace !== namespace || known.name === name) return undefined;
    const moved = await store.find(known.namespace, known.name);
    return moved?.spec.keyDigest === binding ? moved : undefined;
  }
}

/** Between noting when a certificate is made and making it, a store may take so long. */
const SLOW_MS = 30_000;

function standing(
  state: CertificateState | undefined,
  { serial, madeAt }: PresentedPeer,
): 'current' | 'next' | 'newer' | 'superseded' {
  if (!state || state.serial === serial) return 'current';
  if (state.next === serial) return 'next';
  return madeAt > Date.parse(state.madeAt ?? '') + SLOW_MS ? 'newer' : 'superseded';
}
