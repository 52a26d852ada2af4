import { type NodeRecord, nodeKey } from '../model/node-record.ts';

interface Node {
  readonly namespace: string;
  readonly name: string;
  readonly digest: string;
  readonly machine: string | undefined;
}

/** Nodes by the key with which they enrolled, and by the UID of their Machine. */
export class NodeKeys {
  readonly #nodes = new Map<string, Node>();
  readonly #byDigest = new Map<string, string[]>();
  readonly #byMachine = new Map<string, string>();

  /** @returns a key that is no node's any more, because the node has another one now */
  put(record: NodeRecord): string | undefined {
    const { namespace, name, spec } = record;
    const key = nodeKey(record);
    const digest = spec.keyDigest;
    const before = this.#nodes.get(key);
    const released = before && before.digest !== digest ? this.remove(key) : undefined;
    if (before?.digest !== digest) this.#byDigest.set(digest, [...(this.#byDigest.get(digest) ?? []), key]);
    this.#nodes.set(key, { namespace, name, digest, machine: spec.machine?.uid });
    if (spec.machine) this.#byMachine.set(spec.machine.uid, digest);
    return released;
  }

  /** @returns the node's key, unless another node has it too */
  remove(key: string): string | undefined {
    const node = this.#nodes.get(key);
    if (!node) return undefined;
    const { digest, machine } = node;
    this.#nodes.delete(key);
    if (machine !== undefined && this.#byMachine.get(machine) === digest) this.#byMachine.delete(machine);
    const others = this.#byDigest.get(digest)?.filter((other) => other !== key) ?? [];
    if (others.length > 0) this.#byDigest.set(digest, others);
    else this.#byDigest.delete(digest);
    return others.length > 0 ? undefined : digest;
  }

  /** While a node moves to its Machine's name there are two: the one that stays. */
  of(digest: string): { namespace: string; name: string } | undefined {
    const nodes = this.#byDigest.get(digest)?.map((key) => this.#nodes.get(key));
    return nodes?.find((node) => node?.machine !== undefined) ?? nodes?.[0];
  }

  /** @param key `namespace/name`. @returns UID of its Machine */
  machineOf(key: string): string | undefined {
    return this.#nodes.get(key)?.machine;
  }

  ofMachine(uid: string): string | undefined {
    return this.#byMachine.get(uid);
  }
}
