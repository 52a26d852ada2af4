import { REPORT_DIR, RUN_DIR } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';

/** How far a receiver is. */
interface Cursor {
  seq: number;
  /** Belongs to this instance of the machine. */
  instance: string;
}

/** Reliable receivers go on where they were after a reboot, the others begin anew with each boot. */
function pathOf(name: string, reliable: boolean): string {
  return reliable ? `${REPORT_DIR}/${name}.cursor` : `${RUN_DIR}/report/${name}.cursor`;
}

/** 0 if nothing was delivered yet or the file is damaged. Then the reporter sends events again, which receivers notice. */
export async function readCursor(
  host: Host,
  name: string,
  reliable: boolean,
  instance: string,
): Promise<number> {
  try {
    const bytes = await host.files.readIfPresent(pathOf(name, reliable), 4096);
    const value = bytes && JSON.parse(bytes.toString('utf8'));
    return value?.instance === instance && Number.isSafeInteger(value.seq) ? value.seq : 0;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof HostError) return 0;
    throw error;
  }
}

/** @returns false if it cannot be written: a restarted reporter then repeats what receivers have. */
export async function writeCursor(
  host: Host,
  name: string,
  reliable: boolean,
  cursor: Cursor,
): Promise<boolean> {
  try {
    await host.files.write(pathOf(name, reliable), `${JSON.stringify(cursor)}\n`, { mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}
