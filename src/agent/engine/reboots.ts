import type { JournalRecord } from '../../protocol/journal.ts';
import { JOURNAL } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { parseJournal } from './parse-journal.ts';

/** Boots that one bootstrap may take: user data whose command always asks for another one would go on for ever. */
export const MAX_BOOTS = 10;

/** In how many boots the bootstrap that has no verdict yet has been at work. @throws HostError */
export async function bootsSoFar(host: Host): Promise<number> {
  const bytes = (await host.files.readIfPresent(JOURNAL)) ?? Buffer.alloc(0);
  return countBoots(parseJournal(bytes).records);
}

export function countBoots(records: readonly JournalRecord[]): number {
  const open = records.slice(records.findLastIndex(({ type }) => type === 'sequence.ended') + 1);
  return new Set(open.map(({ boot }) => boot)).size;
}
