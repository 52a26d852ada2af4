import { Rates } from '../../kit/rates.ts';
import { type Log, reason } from '../log.ts';
import { type MachineTie, type NodeRecord, nodeKey, type TieKind } from '../model/node-record.ts';
import type { Metrics } from '../web/metrics.ts';
import type { ContestedKey } from './directory.ts';
import type { EventRecorder, MachineEvent } from './event-recorder.ts';
import type { Machine } from './machine.ts';

interface AlarmParts {
  readonly recorder: EventRecorder;
  readonly byUid: (uid: string) => Machine | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** An Event is there for an hour, so a contest that goes on is told again then. */
const CONTEST = { perSecond: 1 / 3600, burst: 1 };
/** Of many Machines that name one TPM. */
const MOST_TOLD = 5;

/** Tells people when somebody is not who they said they were: log, metric, and an Event on the Machine. */
export class Alarms {
  readonly #parts: AlarmParts;
  readonly #contests = new Rates(CONTEST);

  constructor(parts: AlarmParts) {
    this.#parts = parts;
  }

  /** A node took the place of another one: by a better proof, or because the same machine proved itself again with another key. */
  replaced(before: NodeRecord, after: NodeRecord): void {
    const was = before.spec.machine;
    if (!was || was.uid !== after.spec.machine?.uid) {
      const what = 'a node that was not of this Machine had its name, and made way';
      this.#parts.log.info(what, { node: nodeKey(after), instance: before.spec.instance });
    } else if (isSameMachine(before, after)) {
      this.#cameAgain(after);
    } else {
      this.#parts.metrics.replaced.add();
      this.#tell(after, was.by === 'token' ? 'TokenReplaced' : 'ClaimReplaced', [
        `The machine that enrolled as ${before.spec.hostname} (instance ${before.spec.instance}) at`,
        `${before.spec.enrolment.at} ${HAD[was.by]}; a machine with a better proof took its place.`,
        'What the first one told no longer counts.',
        ...(was.by === 'token' ? ['If it is not yours, somebody has copied the token.'] : []),
        ...(isClaim(was) ? ['If it is not yours, revoke the token of its pool.'] : []),
      ]);
    }
  }

  /** Installed anew, or without what it had kept. */
  #cameAgain(after: NodeRecord): void {
    const { instance, machine, enrolment } = after.spec;
    const message = `The machine with the TPM ${enrolment.endorsementKey} enrolled again, with another key of its own, as instance ${instance}.`;
    this.#parts.log.info(message, { node: nodeKey(after) });
    this.#record(machine, { type: 'Normal', reason: 'EnrolledAgain', message });
  }

  /** Several Machines name one TPM. Both sides learn it, and neither learns of the other where that is another namespace's. */
  contested({ key, holder, others }: ContestedKey): void {
    const some = others.slice(0, MOST_TOLD);
    const names = [...(holder ? [holder] : []), ...some].map(({ namespace, name }) => `${namespace}/${name}`);
    if (this.#contests.take(names.join(' ')) > 0) return;
    const reason = 'EndorsementKeyContested';
    const what = holder ? `${names[0]} has proved itself by it and keeps it` : 'so it is none of theirs';
    this.#parts.log.warn('several Machines name one TPM', { key, machines: names.join(', '), what });
    if (holder) {
      const message = `A Machine of another namespace names the TPM ${key}, by which this Machine was proved. This Machine keeps it. ${WHO} If the hardware was given away, free it: slipway-controller nodes release ${holder.namespace}/${holder.name}.`;
      this.#recordOf(holder, { type: 'Warning', reason, message });
    }
    const message = holder
      ? `The TPM ${key}, which this Machine names, has proved a Machine of another namespace, which keeps it: no machine can enrol by it here. ${WHO} If the hardware is this Machine's by now, have the other one free it (slipway-controller nodes release) or delete it; else name the right TPM here.`
      : `Several Machines name the TPM ${key}, so its machine is none of them. ${WHO} Let one Machine name it, and no other one.`;
    for (const machine of some) this.#recordOf(machine, { type: 'Warning', reason, message });
  }

  copied(record: NodeRecord): void {
    this.#parts.metrics.copied.add();
    this.#tell(record, 'CertificateCopied', [
      'A certificate of this machine was shown that it had replaced already. Its disk was copied, or an older',
      'state of it restored. If the machine is yours and is shut out now, the newer certificate is with the',
      'copy: replace the Machine.',
    ]);
  }

  /** A proof failed. @param uids the Machines that it concerns */
  failed(uids: readonly string[], what: string, why: string): void {
    const { byUid, metrics } = this.#parts;
    metrics.proofsFailed.add({ reason: what });
    for (const uid of uids) {
      const machine = byUid(uid);
      if (machine) this.#recordOf(machine, { type: 'Warning', reason: what, message: why });
    }
  }

  /** Two objects say different things of who the Machine is. */
  disagrees(machine: Machine, message: string): void {
    const { namespace, name } = machine;
    this.#parts.log.warn(message, { machine: `${namespace}/${name}` });
    this.#recordOf(machine, { type: 'Warning', reason: 'EndorsementKeyForeign', message });
  }

  #tell(record: NodeRecord, what: string, sentences: readonly string[]): void {
    const event: MachineEvent = { type: 'Warning', reason: what, message: sentences.join(' ') };
    this.#parts.log.warn(event.message, { node: nodeKey(record), what });
    this.#record(record.spec.machine, event);
  }

  #record(tie: MachineTie | undefined, event: MachineEvent): void {
    const machine = tie && this.#parts.byUid(tie.uid);
    if (machine) this.#recordOf(machine, event);
  }

  #recordOf(machine: Machine, event: MachineEvent): void {
    const { recorder, log } = this.#parts;
    recorder.record(machine, event).catch((error: unknown) => {
      log.warn('an Event could not be written', { machine: machine.name, reason: reason(error) });
    });
  }
}

/** What a node had that lost its place to another machine. */
const HAD: Readonly<Record<TieKind, string>> = {
  name: 'only claimed to be this Machine, by its host name',
  providerID: 'only claimed to be this Machine, by its provider ID',
  firstUse: 'came first, with a key for which nobody vouches',
  token: 'had the token of this Machine',
  lateToken: 'had the token of this Machine and the certificate of its Node',
  tpm: 'had another TPM',
};

function isClaim({ by }: MachineTie): boolean {
  return by === 'name' || by === 'providerID';
}

/** It shows the same endorsement key; or it had a token, and has shown its TPM since. */
function isSameMachine({ spec: before }: NodeRecord, { spec: after }: NodeRecord): boolean {
  const key = after.enrolment.endorsementKey;
  if (key === undefined) return false;
  if (before.enrolment.endorsementKey === key) return true;
  return before.machine?.by === 'token' && before.instance === after.instance;
}

const WHO = 'The log of slipway-controller says which Machines they are.';
