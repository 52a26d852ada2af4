import { basename, dirname, join } from 'node:path/posix';
import { digest } from '../../../kit/digest.ts';
import type { FetchSettings, FileEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { fetchRemote } from '../../fetch/fetch.ts';
import { fetchProblem } from '../tools/fetch-problem.ts';

/**
 * Writes a file of which at least one part is to be fetched: piece by piece into a file beside it, which takes
 * its place when everything is there and right.
 *
 * @param old What the parts are appended to.
 * @throws Problem ResourceNotFetched, ResourceRefused; HostError
 */
export async function writeRemote(
  { host, signal }: Pick<StepContext, 'host' | 'signal'>,
  parts: readonly FileEntry[],
  settings: FetchSettings,
  old: Uint8Array,
): Promise<void> {
  const [{ path } = { path: '' }] = parts;
  const temporary = join(dirname(path), `.slipway-${digest(basename(path)).slice(0, 12)}.part`);
  await host.files.write(temporary, old, { mode: 0o600, owner: '0:0' });
  try {
    const handle = await host.files.openAppend(temporary, 0o600);
    try {
      for (const { content, from } of parts) {
        if (from) await fetchRemote(host, from, settings, (piece) => handle.append(piece, false), signal);
        else await handle.append(content.reveal(), false);
      }
    } finally {
      await handle.close();
    }
    await host.files.rename(temporary, path);
  } catch (error) {
    await host.files.remove(temporary);
    throw fetchProblem(error, `${path} was not written`);
  }
}
