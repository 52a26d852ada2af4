import { MAX_LOG_BYTES } from '../../../protocol/attestation.ts';
import { encodeCompactLog } from '../../../tpm/evidence/compact-log.ts';
import { type BootLog, readBootLog, replay, secureBoot } from '../../../tpm/evidence/event-log.ts';
import type { PcrValues } from '../../../tpm/objects/pcr-selection.ts';
import { ALG } from '../../../tpm/wire/constants.ts';
import { MalformedError } from '../../../tpm/wire/reader.ts';
import { type Host, HostError } from '../../host/host.ts';

/** The kernel's, of the first TPM. */
export const BOOT_LOG = '/sys/kernel/security/tpm0/binary_bios_measurements';

/** How the firmware's log of the boot and the TPM's registers fit together. */
export interface BootState {
  readonly events: number;
  /** Registers that the log explains, ascending. */
  readonly agrees: readonly number[];
  /** Registers that hold something else than the log says. */
  readonly differs: readonly number[];
  /** Undefined where the log does not say it. */
  readonly secureBoot: boolean | undefined;
}

/** As a proof carries it; undefined where there is none that can be carried, because a proof is worth as much without. */
export async function bootLogForProof(host: Host): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readLog(host);
    return bytes && encodeCompactLog(readBootLog(bytes), MAX_LOG_BYTES);
  } catch (error) {
    if (error instanceof MalformedError || error instanceof HostError) return undefined;
    throw error;
  }
}

/** @returns undefined if the firmware left no log; a sentence if it cannot be read */
export async function readBootState(host: Host, values: PcrValues): Promise<BootState | string | undefined> {
  const bytes = await readLog(host);
  if (!bytes) return undefined;
  try {
    return compare(readBootLog(bytes), values);
  } catch (error) {
    if (error instanceof MalformedError) return error.message;
    throw error;
  }
}

/** The kernel's file has no size: it is read to its end. */
async function readLog(host: Host): Promise<Uint8Array | undefined> {
  return (await host.files.stat(BOOT_LOG)) && (await host.files.read(BOOT_LOG));
}

function compare(log: BootLog, values: PcrValues): BootState {
  const expected = [...replay(log, ALG.sha256)].sort(([one], [other]) => one - other);
  const fits = ([pcr, value]: [number, Uint8Array]) =>
    Buffer.compare(values.get(pcr) ?? Buffer.alloc(0), value) === 0;
  return {
    events: log.events.length,
    agrees: expected.filter(fits).map(([pcr]) => pcr),
    differs: expected.filter((entry) => !fits(entry)).map(([pcr]) => pcr),
    secureBoot: secureBoot(log),
  };
}
