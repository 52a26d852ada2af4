import { sensitive } from '../../../../secrets/sensitive.ts';
import type { FetchSettings } from '../../../document/document.ts';
import { RUN_DIR } from '../../../document/paths.ts';
import type { RepositoryFile } from '../../../document/system-settings.ts';
import { FetchError, fetchBytes } from '../../../fetch/fetch.ts';
import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import { StepError } from '../../../tools/step-error.ts';

/** The keys of people whom everybody has signed are large, but no program's output is kept beyond this. */
const MOST_BYTES = 256 * 1024;
const SECONDS = 30;
/** A ring of its own: nothing of root's counts, and nothing is left. */
const RING = `${RUN_DIR}/apt-key`;

/**
 * Gets a key from a key server, in the form that apt reads. gpg says which key it is, and leaves out what its owner has not
 * signed: whatever the server or somebody on the way answers, only the key of that fingerprint comes out.
 *
 * @throws Problem ResourceNotFetched, ResourceRefused, ToolMissing
 */
export async function keyFromServer(
  host: Host,
  { id, url }: NonNullable<RepositoryFile['key']>,
  proxy: FetchSettings['proxy'],
  signal: AbortSignal,
): Promise<string> {
  const remote = { url: sensitive(url), headers: [], isCompressed: false };
  const settings = { authorities: [], totalSeconds: SECONDS, ...(proxy ? { proxy } : {}) };
  const bytes = await fetchBytes(host, remote, settings, MOST_BYTES, signal).catch((error: unknown) => {
    if (!(error instanceof FetchError)) throw error;
    const code = error.refused ? 'ResourceRefused' : 'ResourceNotFetched';
    throw new StepError(code, `The key ${id} was not fetched: ${error.message}`);
  });
  const gpg = async (args: string[], input?: string): Promise<string> => {
    const argv: [string, ...string[]] = [
      'gpg',
      '--homedir',
      RING,
      '--batch',
      '--no-tty',
      '--no-autostart',
      ...args,
    ];
    const how = { doing: `read the key ${id}`, code: 'ResourceRefused', timeoutMs: 60_000, signal } as const;
    return (await runTool(host, argv, { ...how, ...(input === undefined ? {} : { input }) })).stdout;
  };
  await host.files.mkdir(RING, 0o700);
  try {
    await gpg(['--import'], bytes.toString('latin1'));
    const found = ownersOf(await gpg(['--with-colons', '--list-keys']), id);
    const [owner, ...others] = found;
    if (owner === undefined)
      throw new StepError('ResourceRefused', `The key server gave another key than ${id}`);
    if (others.length > 0)
      throw new StepError('ResourceRefused', `Several keys end in ${id}; give the whole fingerprint`);
    return await gpg(['--armor', '--export', owner]);
  } finally {
    await host.processes.run({ argv: ['rm', '-rf', RING], timeoutMs: 60_000 });
  }
}

/** The fingerprints of the keys that, or a subkey of which, end so; gpg lists a key's own first. */
function ownersOf(listing: string, id: string): string[] {
  const owners = new Set<string>();
  let owner = '';
  let isNew = false;
  for (const line of listing.split('\n')) {
    const fields = line.split(':');
    if (fields[0] === 'pub') isNew = true;
    if (fields[0] !== 'fpr') continue;
    const fingerprint = fields[9] ?? '';
    if (isNew) owner = fingerprint;
    isNew = false;
    if (fingerprint.endsWith(id)) owners.add(owner);
  }
  return [...owners];
}
