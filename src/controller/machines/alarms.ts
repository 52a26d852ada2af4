import { type Log, reason } from '../log.ts';
import { type NodeRecord, nodeKey } from '../model/node-record.ts';
import type { Metrics } from '../web/metrics.ts';
import type { EventRecorder, MachineEvent } from './event-recorder.ts';
import type { Machine } from './machine.ts';

interface AlarmParts {
  readonly recorder: EventRecorder;
  readonly byUid: (uid: string) => Machine | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Tells people when somebody is not who they said they were: log, metric, and an Event on the Machine. */
export class Alarms {
  readonly #parts: AlarmParts;

  constructor(parts: AlarmParts) {
    this.#parts = parts;
  }

  /** Another machine has proved to be the Machine that a node claimed to be. */
  replaced(before: NodeRecord, after: NodeRecord): void {
    this.#parts.metrics.replaced.add();
    this.#tell(after, 'ClaimReplaced', [
      `The machine that enrolled as ${before.spec.hostname} (instance ${before.spec.instance}) at`,
      `${before.spec.enrolment.at} only claimed to be this Machine (${before.spec.machine?.by ?? 'name'});`,
      'another one has proved it and took its place. What the first one told no longer counts.',
      'If it is not yours, revoke the token of its pool.',
    ]);
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
    const { recorder, byUid, log, metrics } = this.#parts;
    metrics.proofsFailed.add({ reason: what });
    for (const uid of uids) {
      const machine = byUid(uid);
      if (!machine) continue;
      recorder.record(machine, { type: 'Warning', reason: what, message: why }).catch((error: unknown) => {
        log.warn('an Event could not be written', { machine: machine.name, reason: reason(error) });
      });
    }
  }

  /** Two objects say different things of who the Machine is. */
  disagrees(machine: Machine, message: string): void {
    const { recorder, log } = this.#parts;
    const { namespace, name } = machine;
    log.warn(message, { machine: `${namespace}/${name}` });
    const event: MachineEvent = { type: 'Warning', reason: 'EndorsementKeyForeign', message };
    recorder.record(machine, event).catch((error: unknown) => {
      log.warn('an Event could not be written', { machine: name, reason: reason(error) });
    });
  }

  #tell(record: NodeRecord, what: string, sentences: readonly string[]): void {
    const { recorder, byUid, log } = this.#parts;
    const event: MachineEvent = { type: 'Warning', reason: what, message: sentences.join(' ') };
    log.warn(event.message, { node: nodeKey(record), what });
    const machine = record.spec.machine && byUid(record.spec.machine.uid);
    if (!machine) return;
    recorder.record(machine, event).catch((error: unknown) => {
      log.warn('an Event could not be written', { machine: machine.name, reason: reason(error) });
    });
  }
}
