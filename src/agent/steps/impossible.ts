import type { Document, ReportEntry } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { failingCalls } from './ahead/failing-calls.ts';
import { impossibleFiles } from './ahead/impossible-files.ts';
import { missingTools } from './ahead/missing-tools.ts';
import { unreadableCommands } from './ahead/unreadable-commands.ts';

/**
 * What this machine, as it is before anything is changed, cannot do of a document. An error where no node would come of it;
 * a warning where the rest is done all the same.
 */
export async function impossible(
  host: Pick<Host, 'root' | 'platform' | 'files' | 'processes'>,
  document: Document,
): Promise<ReportEntry[]> {
  if (host.platform === 'windows') return [];
  return [
    ...(await impossibleFiles(host, document)),
    ...(document.format === 'ignition' ? await ofTree(host, document) : []),
    ...(await missingTools(host, document)),
    ...(await unreadableCommands(host, document)),
    ...failingCalls(document),
  ];
}

/** Without its users a machine of Ignition's does not come up; one of a cloud-config does (`unmade`). */
async function ofTree(host: Pick<Host, 'files' | 'processes'>, document: Document): Promise<ReportEntry[]> {
  const { impossibleTree } = await import('./ahead/impossible-tree.ts');
  const { impossibleAccounts } = await import('./ahead/impossible-accounts.ts');
  return [...(await impossibleTree(host, document)), ...(await impossibleAccounts(host, document))];
}
