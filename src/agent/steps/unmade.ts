import type { Document, ReportEntry } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { impossibleAccounts } from './ahead/impossible-accounts.ts';
import { unreadableRules } from './ahead/unreadable-rules.ts';

/**
 * Users, groups and sudo rules of a cloud-config that this machine will not make: its node comes up without them, so a plan
 * warns. A bootstrap does not ask before its steps do: other user databases may be far away. Those of Ignition are `impossible`.
 */
export async function unmade(
  host: Pick<Host, 'files' | 'processes'>,
  document: Document,
): Promise<ReportEntry[]> {
  if (document.format === 'ignition') return [];
  return [...(await impossibleAccounts(host, document)), ...(await unreadableRules(host, document))];
}
