import { boundedText, printable } from '../../protocol/wire.ts';
import type { KubeClient } from '../kube/client.ts';
import { type Log, reason } from '../log.ts';
import { writeCondition } from '../machines/condition-writer.ts';
import {
  ATTESTED,
  type Condition,
  conditionDigest,
  type Machine,
  type MachineVersion,
} from '../machines/machine.ts';
import { WorkQueue } from '../machines/work-queue.ts';
import type { NodeRecord } from '../model/node-record.ts';

const MANAGER = 'slipway-controller-attested';
const MAX_MESSAGE_BYTES = 2048;
/** Until a condition that somebody else has changed is put right. */
const PEACE_MS = 10_000;

/**
 * What the condition `slipway.dev/NodeAttested` of a node's Machine should be; undefined where nothing was demanded
 * and no TPM shown. Reasons never change, because people alert on them.
 */
export function attestedOf({ spec }: NodeRecord): Condition | undefined {
  const { admission, enrolment, machine } = spec;
  const hasKey = machine?.by === 'tpm' || machine?.by === 'firstUse';
  if (!machine || !(enrolment.policies || hasKey || admission)) return undefined;
  if (admission?.state === 'Quarantined')
    return of('False', 'Quarantined', `Somebody quarantined the node at ${admission.at}.`);
  if (admission?.state === 'Refused')
    return of('False', admission.reason ?? 'Refused', admission.why ?? 'Its last proof failed.');
  const policies = enrolment.policies?.length ? ` Policies: ${enrolment.policies.join(', ')}.` : '';
  const proof = `${proofOf(spec)}${policies}`;
  if (admission?.state === 'Pending')
    return of('Unknown', 'Pending', `It waits for slipway-controller nodes admit. ${proof}`);
  if (machine.by === 'firstUse') return of('Unknown', 'TrustedOnFirstUse', proof);
  if (machine.by === 'lateToken') return of('Unknown', 'EnrolledLate', proof);
  if (machine.by !== 'tpm' && machine.by !== 'token') return of('Unknown', 'Claimed', proof);
  return of('True', machine.by === 'tpm' ? 'ProvedByTpm' : 'ProvedByToken', proof);
}

function proofOf({ enrolment, machine }: NodeRecord['spec']): string {
  if (machine?.by === 'providerID' || machine?.by === 'name')
    return `The machine only says that it is this Machine, by its ${machine.by === 'name' ? 'host name' : 'provider ID'}.`;
  if (machine?.by === 'firstUse') {
    const { endorsementKey: key } = enrolment;
    return `The first machine that said it is this Machine showed the key ${key}. Nobody vouches that this is the key of a TPM, so nothing is known of its boot, and it gets neither sealed data nor a kubelet's certificate. If slipway identity on the machine prints the same key, name it: kubectl annotate machine ${machine.name} slipway.dev/endorsement-key=${key}. That counts from the machine's next proof on: when it asks for something, or renews its certificate.`;
  }
  if (machine?.by === 'lateToken')
    return "The machine enrolled when its Machine had its Node already, by the Machine's token and the certificate of that Node. It may report, and gets neither sealed data nor a kubelet's certificate.";
  if (machine?.by !== 'tpm') return 'The machine showed the token that was made for its Machine, and no TPM.';
  const pcrs = Object.keys(enrolment.registers ?? {});
  const registers = pcrs.length === 0 ? '' : `, which signed PCR ${pcrs[0]} to ${pcrs.at(-1)}`;
  const explained = Object.keys(enrolment.measured ?? {});
  const log = explained.length === 0 ? '' : ` Its boot log explains PCR ${explained.join(', ')}.`;
  return `The machine proved itself by its TPM ${enrolment.endorsementKey}${registers}.${log}`;
}

function of(status: Condition['status'], why: string, message: string): Condition {
  return { type: ATTESTED, status, reason: why, message: boundedText(printable(message), MAX_MESSAGE_BYTES) };
}

interface AttestedParts {
  readonly client: KubeClient;
  readonly version: MachineVersion;
  readonly byUid: (uid: string) => Machine | undefined;
  readonly isPaused: (machine: Machine) => boolean;
  readonly log: Log;
}

/** Writes what is known of Machines' proofs as their condition; the latest counts. */
export class AttestedConditions {
  readonly #parts: AttestedParts;
  /** By the Machine's UID. */
  readonly #wanted = new Map<string, Condition>();
  readonly #queue: WorkQueue;
  #leads = false;

  constructor(parts: AttestedParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue((uid) => this.#write(uid), {
      parallel: 4,
      failed: (uid, error, retryInMs) =>
        parts.log.warn('a condition could not be written', {
          machine: uid,
          reason: reason(error),
          retryInMs,
        }),
    });
  }

  lead(leads: boolean): void {
    this.#leads = leads;
    if (leads) for (const uid of this.#wanted.keys()) this.#queue.add(uid);
  }

  nodeChanged(record: NodeRecord): void {
    const condition = attestedOf(record);
    const uid = record.spec.machine?.uid;
    if (!condition || uid === undefined) return;
    this.#wanted.set(uid, condition);
    if (this.#leads) this.#queue.add(uid, true);
  }

  /** A proof failed at this replica, which says so whether it leads or not. */
  failed(uid: string, code: string, why: string, status: Condition['status'] = 'False'): void {
    this.#wanted.set(uid, of(status, code, why));
    this.#queue.add(uid, true);
  }

  /** What its node proved is nobody's any more. */
  nodeGone(uid: string): void {
    if (!this.#wanted.has(uid)) return;
    this.#wanted.set(uid, of('Unknown', 'Gone', 'The node that had proved itself was removed.'));
    if (this.#leads) this.#queue.add(uid);
  }

  machineChanged({ uid, attested }: Machine): void {
    const wanted = this.#wanted.get(uid);
    if (!wanted || !this.#leads || attested?.digest === conditionDigest(wanted)) return;
    // Our own writes come back one by one; what is still different then is somebody else's.
    this.#queue.later(uid, PEACE_MS);
  }

  machineGone(uid: string): void {
    this.#wanted.delete(uid);
    this.#queue.forget(uid);
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
  }

  async #write(uid: string): Promise<void> {
    const { client, version, byUid, isPaused } = this.#parts;
    const machine = byUid(uid);
    const wanted = this.#wanted.get(uid);
    if (!machine || !wanted || isPaused(machine)) return;
    if (machine.attested?.digest === conditionDigest(wanted)) return;
    await writeCondition(client, version, machine, wanted, machine.attested ?? {}, MANAGER);
  }
}
