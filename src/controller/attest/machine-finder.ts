import type { MachineIdentity } from '../../protocol/events.ts';
import type { MachineTie, NodeSpec } from '../model/node-record.ts';
import type { Owner } from '../store/store.ts';
import type { Claim } from './attestor.ts';

/** The Machine that a node is. */
export interface FoundMachine {
  readonly tie: MachineTie;
  readonly namespace: string;
  readonly owner: Owner;
  /** The Machine's Node; whoever comes when there is one is late. */
  readonly nodeName: string | undefined;
}

/** Finds the Machine of a node. */
export interface MachineFinder {
  /** @throws Refused if it finds the Machine and this node cannot be it */
  find(claim: Claim, machine: MachineIdentity): FoundMachine | undefined;
  /** Why this node gets no new certificate any more; undefined if it does. */
  objection(spec: NodeSpec): string | undefined;
  /** Is a certificate no proof enough for the next one? */
  wantsProof(spec: NodeSpec): boolean;
}
