import { printable } from '../../protocol/wire.ts';
import { readCompactLog } from '../../tpm/evidence/compact-log.ts';
import { eventTypeName } from '../../tpm/evidence/event-hint.ts';
import { type BootEvent, NO_ACTION, replay } from '../../tpm/evidence/event-log.ts';
import { ALG } from '../../tpm/wire/constants.ts';
import { MalformedError } from '../../tpm/wire/reader.ts';

/** Beginnings of the digests that were measured into a register, in hex, one after the other: enough to say which one differs. */
export type Measured = Readonly<Record<string, string>>;

const PREFIX_BYTES = 4;
const PREFIX = PREFIX_BYTES * 2;
const TOLD_EVENTS = 4;

/** What a machine's boot log says of registers that its TPM has signed. Where they do not agree, it says nothing. */
export class BootLogExplainer {
  /** By register; only those that the log explains. */
  readonly #events = new Map<number, readonly BootEvent[]>();
  readonly #isThere: boolean;

  /**
   * @param log as the proof carried it; what cannot be read is no log
   * @param values that the TPM has signed
   */
  constructor(log: Uint8Array | undefined, values: ReadonlyMap<number, Uint8Array>) {
    const events = log && eventsOf(log);
    this.#isThere = events !== undefined;
    if (!events) return;
    for (const [pcr, value] of replay({ banks: [ALG.sha256], events }, ALG.sha256)) {
      const signed = values.get(pcr);
      const of = events.filter((event) => event.pcr === pcr && event.type !== NO_ACTION);
      if (of.length > 0 && signed && Buffer.compare(signed, value) === 0) this.#events.set(pcr, of);
    }
  }

  /** Undefined if it explains no register. */
  get measured(): Measured | undefined {
    if (this.#events.size === 0) return undefined;
    const entries = [...this.#events].sort(([one], [other]) => one - other);
    return Object.fromEntries(entries.map(([pcr, events]) => [pcr, events.map(prefixOf).join('')]));
  }

  /**
   * Why a register is what it is, to be told after its value; empty where there is no log.
   *
   * @param before of a machine, or a boot, that it has to be like
   */
  tell(pcr: number, before: Measured | undefined): string {
    if (!this.#isThere) return '';
    const events = this.#events.get(pcr);
    if (!events) return ', which its boot log does not explain';
    const known = before?.[pcr];
    if (known === undefined) return `, from ${listOf(events)}`;
    const at = events.findIndex((event, i) => prefixOf(event) !== known.slice(i * PREFIX, (i + 1) * PREFIX));
    const other = events[at];
    const count = known.length / PREFIX;
    if (other) {
      const isNew = at >= count ? ', which was not there' : '';
      return `, because of event ${at + 1} of ${events.length}: ${nameOf(other)}${isNew}`;
    }
    const gone = count - events.length;
    return gone === 1
      ? ', because its last event is not there'
      : `, because its last ${gone} events are not there`;
  }
}

function eventsOf(log: Uint8Array): readonly BootEvent[] | undefined {
  try {
    return readCompactLog(log).events;
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

function prefixOf({ digests }: BootEvent): string {
  return Buffer.from(digests.get(ALG.sha256) ?? [])
    .subarray(0, PREFIX_BYTES)
    .toString('hex');
}

function listOf(events: readonly BootEvent[]): string {
  const more = events.length - TOLD_EVENTS;
  return `${events.slice(0, TOLD_EVENTS).map(nameOf).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The text is the machine's own, and only a hint. */
function nameOf({ type, data }: BootEvent): string {
  const text = printable(Buffer.from(data).toString('utf8')).trim();
  return text === '' ? eventTypeName(type) : `${eventTypeName(type)} ${JSON.stringify(text)}`;
}
