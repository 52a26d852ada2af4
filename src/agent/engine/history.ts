import type {
  Finding,
  JournalRecord,
  NodeReset,
  SequenceEnded,
  SequenceStarted,
  StepEnded,
  StepStarted,
} from '../../protocol/journal.ts';

type Of<T> = JournalRecord & T;

/** What the journal says of one step. */
interface StepHistory {
  /** The last record that ended it. */
  ended?: Of<StepEnded>;
  /** A record says that it began, none that it ended: the agent or the machine died meanwhile. */
  interrupted: boolean;
  /** Another document has run the same step with another content since: what this one did may be gone. */
  superseded: boolean;
  /** This instance has done the same step with another content, and nobody has taken that back. */
  doneOtherwise: boolean;
  /** Milliseconds of those attempts. */
  spentMs: number;
  /** What its attempts said of a place in the user data, which holds as long as they do. */
  findings: Omit<Finding, 'type'>[];
  /** Attempts that the open sequence has begun. The budget survives restarts and reboots. */
  attempts: number;
}

/** What the journal says of this machine's past, as far as it still matters. */
export interface History {
  /** The sequence that has no verdict yet. */
  open?: Of<SequenceStarted>;
  /** Where in the journal the last success stands; 0 where there is none, or somebody has taken it back since. */
  succeededAt: number;
  step(id: string, digest: string): StepHistory;
  /** The steps that the open sequence has run, by id, each with the place in the journal where it ended. */
  ranNow: ReadonlyMap<string, number>;
  /** Milliseconds of the open sequence in which an agent ran, whatever the wall clock did. */
  activeMs: number;
  /** When the open sequence began. */
  startedAt?: string;
}

/** A run of which nothing shows that it was to make a node has ended well, and the machine counts as not bootstrapped yet. */
export const isSuccess = ({ result, isNodeUnknown }: SequenceEnded): boolean =>
  result === 'succeeded' && isNodeUnknown !== true;

/**
 * Reads the past of `instance` out of the journal. Records of another instance (a journal baked into an
 * image) and those before a `kubeadm reset` that concern kubeadm do not count.
 */
export function historyOf(records: readonly JournalRecord[], instance: string): History {
  const steps = new Map<string, StepEntry>();
  let current: StepEntry | undefined;
  const ranNow = new Map<string, number>();
  /** The digest with which each step began last. */
  const latest = new Map<string, string>();
  let open: Of<SequenceStarted> | undefined;
  let succeededAt = 0;
  let activeMs = 0;
  let mine = false;
  let previous: JournalRecord | undefined;
  let startedAt: string | undefined;
  let first = 0;

  for (const [index, record] of records.entries()) {
    if (record.type === 'run.started') {
      mine = record.instance === instance;
      current = undefined;
      if (!mine) {
        open = undefined;
        succeededAt = 0;
        steps.clear();
        latest.clear();
      }
      previous = undefined;
    }
    if (!mine) continue;
    if (open && previous?.boot === record.boot) activeMs += Math.max(0, record.mono - previous.mono);
    previous = record;
    switch (record.type) {
      case 'sequence.started':
        if (open?.sequence !== record.sequence) {
          activeMs = 0;
          startedAt = record.time;
          first = index;
          ranNow.clear();
          for (const step of steps.values()) step.attempts = 0;
        }
        open = record;
        break;
      case 'sequence.ended':
        open = undefined;
        if (isSuccess(record)) succeededAt = record.seq;
        break;
      case 'step.started': {
        const step = entryOf(steps, record);
        step.started = record;
        current = step;
        if (record.attempt === 1) step.findings = [];
        latest.set(record.step, record.digest);
        step.attempts = record.attempt;
        break;
      }
      case 'step.ended': {
        const step = entryOf(steps, record);
        step.ended = record;
        if (open) ranNow.set(record.step, record.seq);
        delete step.started;
        current = undefined;
        break;
      }
      case 'finding':
        if (record.where !== undefined) current?.findings.push(findingOf(record));
        break;
      case 'node.reset':
        for (const key of steps.keys()) if (isUndoneByReset(key, record)) steps.delete(key);
        succeededAt = 0;
        if (record.scope === 'node') open = undefined;
        break;
      default:
    }
  }
  return {
    ...(open ? { open } : {}),
    succeededAt,
    ...(open && startedAt ? { startedAt } : {}),
    ranNow: open ? ranNow : new Map(),
    activeMs: open ? activeMs : 0,
    step(id, digest) {
      const step = steps.get(`${id} ${digest}`);
      return {
        ...(step?.ended ? { ended: step.ended } : {}),
        interrupted: step?.started !== undefined,
        superseded: (latest.get(id) ?? digest) !== digest,
        doneOtherwise: [...steps].some(
          ([key, { ended }]) => ended?.step === id && key !== `${id} ${digest}` && ended.result === 'done',
        ),
        findings: step?.findings ?? [],
        attempts: open ? (step?.attempts ?? 0) : 0,
        spentMs: open ? spentMs(records.slice(first), { step: id, digest }) : 0,
      };
    },
  };
}

/**
 * Active milliseconds of a step's attempts. An attempt that the agent did not live to end counts as far as the
 * journal goes.
 */
export function spentMs(
  records: readonly JournalRecord[],
  { step, digest }: { step: string; digest: string },
): number {
  let spent = 0;
  let started: JournalRecord | undefined;
  let last: JournalRecord | undefined;
  const cutOff = (): number =>
    started && last && started.boot === last.boot ? Math.max(0, last.mono - started.mono) : 0;
  for (const record of records) {
    const isMine = 'step' in record && record.step === step;
    if (record.type === 'run.started') {
      spent += cutOff();
      started = undefined;
    } else if (record.type === 'step.started' && isMine && record.digest === digest) started = record;
    else if (record.type === 'step.ended' && isMine && record.digest === digest) {
      spent += record.ms;
      started = undefined;
    }
    last = record;
  }
  return spent + cutOff();
}

/**
 * Does a reset make a step undone that was done before it? It formats nothing: partitions, arrays, encryption and file systems stay, with what lies on them.
 *
 * @param key Its id and its digest, with a blank between them
 */
export function isUndoneByReset(key: string, { scope }: NodeReset): boolean {
  return scope === 'node'
    ? !/^(?:disks|raid|luks|filesystems) /.test(key)
    : /^(?:kubeadm|sentinel) /.test(key);
}

interface StepEntry {
  ended?: Of<StepEnded>;
  started?: Of<StepStarted>;
  findings: Omit<Finding, 'type'>[];
  attempts: number;
}

function entryOf(
  steps: Map<string, StepEntry>,
  { step, digest }: { step: string; digest: string },
): StepEntry {
  const key = `${step} ${digest}`;
  const entry = steps.get(key) ?? { attempts: 0, findings: [] };
  steps.set(key, entry);
  return entry;
}

const findingOf = ({ severity, code, message, where }: Finding): Omit<Finding, 'type'> => ({
  severity,
  code,
  message,
  ...(where === undefined ? {} : { where }),
});
