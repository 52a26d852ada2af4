import { createHash } from 'node:crypto';
import { readCsrKey } from '../../pki/read-csr.ts';
import { type KubeletKeyRequest, kubeletKeyPurpose } from '../../protocol/kubelet-key.ts';
import type { PresentedPeer } from '../attest/peer.ts';
import { Refused } from '../attest/refused.ts';
import type { KubeletKey, NodeRecord } from '../model/node-record.ts';
import { type Store, StoreBusy } from '../store/store.ts';
import type { FreshProofs } from './fresh-proofs.ts';

interface KubeletKeyParts {
  readonly proofs: Pick<FreshProofs, 'of'>;
  readonly store: Pick<Store, 'find'>;
  /** @returns false if the node is not as the record says */
  readonly write: (node: NodeRecord, key: KubeletKey) => Promise<boolean>;
}

const MAX_TRIES = 3;

/** Notes with a node which key its kubelet has, for the approver (threat model 9 and 22). */
export class KubeletKeys {
  readonly #parts: KubeletKeyParts;

  constructor(parts: KubeletKeyParts) {
    this.#parts = parts;
  }

  /**
   * @param channel names the connection (RFC 9266)
   * @returns for the log, whose key it is and how that was proved
   * @throws Refused, StoreBusy
   */
  async bind(
    request: KubeletKeyRequest,
    peer: PresentedPeer,
    channel: Uint8Array,
  ): Promise<{ machine: string; by: string; keyDigest: string }> {
    const keyDigest = digestOf(request.csr);
    const purpose = { text: kubeletKeyPurpose(request.csr), channel, code: 'CredentialRefused' } as const;
    const { node, machine } = await this.#parts.proofs.of(request, peer, purpose);
    await this.#note(node, keyDigest);
    return { machine: machine.name, by: machine.by, keyDigest };
  }

  async #note(node: NodeRecord, keyDigest: string): Promise<void> {
    const { namespace, name } = node;
    let latest: NodeRecord | undefined = node;
    for (let tries = 0; latest && tries < MAX_TRIES; tries += 1) {
      // Whoever has taken its place since, or shut it out, has the last word.
      if (latest.spec.keyDigest !== node.spec.keyDigest || isBarred(latest)) break;
      if (await this.#parts.write(latest, { keyDigest, at: new Date().toISOString() })) return;
      latest = await this.#parts.store.find(namespace, name);
    }
    throw new StoreBusy(`${namespace}/${name} is being written by others`);
  }
}

/** SHA-256 of the public key (SubjectPublicKeyInfo), in hex. @throws Refused where the request is not signed by it */
function digestOf(csr: string): string {
  try {
    return createHash('sha256')
      .update(readCsrKey(csr).export({ type: 'spki', format: 'der' }))
      .digest('hex');
  } catch (error) {
    throw new Refused('bad-request', (error as Error).message);
  }
}

function isBarred({ spec }: NodeRecord): boolean {
  return spec.admission !== undefined && spec.admission.state !== 'Admitted';
}
