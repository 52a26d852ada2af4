import { pluralize } from '../../kit/pluralize.ts';
import { boundedText, printable } from '../../protocol/wire.ts';
import { BOOTSTRAPPED } from '../machines/condition.ts';
import { CONDITION, type Condition } from '../machines/machine.ts';

/** No verdict says as much. */
const MAX_MESSAGE_BYTES = 4096;
/** Of many machines. */
const MOST_NAMED = 5;

/** A machine of a pool, and what its own condition says, or would say. */
export interface PoolMachine {
  /** Of its NodeBootstrap. */
  readonly name: string;
  readonly said: Pick<Condition, 'status' | 'reason' | 'message'>;
  /** When it told something last, in milliseconds since 1970. */
  readonly storedAt: number;
}

/**
 * Sums up what the machines of a pool have told: False where any has failed, Unknown while any is at it, else True. The words have no
 * times in them: a condition that changes all the time is written all the time.
 *
 * @param machines at least one
 */
export function poolConditionOf(machines: readonly PoolMachine[]): Condition {
  const [failed, unfinished] = (['False', 'Unknown'] as const).map((status) =>
    machines.filter(({ said }) => said.status === status),
  ) as [PoolMachine[], PoolMachine[]];
  const all = pluralize(machines.length, 'machine');
  const latest = latestOf(failed);
  if (latest) {
    const { name, said } = latest;
    const message = `${failed.length} of ${all} failed to bootstrap: ${listed(failed)}. The latest, ${name}: ${said.message}`;
    return condition('False', said.reason, message);
  }
  if (unfinished.length > 0) {
    const message = `${unfinished.length} of ${all} still to bootstrap: ${listed(unfinished, true)}.`;
    return condition('Unknown', reasonOf(unfinished), message);
  }
  const concerned = machines.filter(({ said }) => said.reason !== BOOTSTRAPPED);
  const wrong = latestOf(concerned);
  if (!wrong) return condition('True', BOOTSTRAPPED, `${all} bootstrapped.`);
  const message = `${all} bootstrapped, and something is wrong with the Node of ${concerned.length}: ${listed(concerned)}. The latest, ${wrong.name}: ${wrong.said.message}`;
  return condition('True', wrong.said.reason, message);
}

/** What a pool's condition says where no machine of it is known any more. */
export function noMachines(): Condition {
  return condition('Unknown', 'Waiting', 'No machine of this pool has reported.');
}

function condition(status: Condition['status'], reason: string, message: string): Condition {
  return { type: CONDITION, status, reason, message: boundedText(printable(message), MAX_MESSAGE_BYTES) };
}

function latestOf(machines: readonly PoolMachine[]): PoolMachine | undefined {
  return machines.toSorted((a, b) => b.storedAt - a.storedAt || (a.name < b.name ? -1 : 1))[0];
}

function listed(machines: readonly PoolMachine[], withReason = false): string {
  const sorted = machines.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MOST_NAMED);
  const names = sorted.map(({ name, said }) => (withReason ? `${name} (${said.reason})` : name));
  const more = machines.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What is wrong with one of them says more than that the others run. */
function reasonOf(unfinished: readonly PoolMachine[]): string {
  const reasons = unfinished.map(({ said }) => said.reason).sort();
  const ordinary = ['Running', 'Waiting', 'Reset'];
  return (
    reasons.find((reason) => !ordinary.includes(reason)) ??
    ordinary.find((reason) => reasons.includes(reason)) ??
    'Running'
  );
}
