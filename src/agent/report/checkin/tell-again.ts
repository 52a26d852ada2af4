import type { Host } from '../../host/host.ts';
import { writeCursor } from '../cursor.ts';
import { SpoolFile } from '../spool/spool-file.ts';
import { readSpoolLines } from '../spool/spool-lines.ts';

/**
 * Makes the next reporter tell the controller again what this machine still has. The spool has the events of the last
 * bootstrap with their numbers, so the controller takes those that it lacks and no other receiver hears of it. Where the
 * spool has no verdict (an earlier release, a lost disk), the journal is told anew, to all receivers, with new numbers.
 *
 * No reporter may be at work meanwhile.
 *
 * @param told the highest number that the controller has acknowledged
 * @throws HostError
 */
export async function tellAgain(host: Host, instance: string, told: number): Promise<void> {
  const { file, lines: texts } = await SpoolFile.open(host);
  try {
    const { base, lines } = readSpoolLines(texts);
    const events = lines.flatMap((line) => line.events);
    if (!events.some(({ type }) => type === 'sequence.ended')) {
      const seq = Math.max(told, base?.seq ?? 0, events.at(-1)?.seq ?? 0);
      await file.rewrite([JSON.stringify({ base: { instance, seq } })]);
    }
  } finally {
    await file.close();
  }
  // Where nothing is left to tell, the next check-in says so too.
  await writeCursor(host, 'controller', true, { seq: 0, instance });
}
