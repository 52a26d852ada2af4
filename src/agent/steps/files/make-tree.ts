import { normalize } from 'node:path/posix';
import type { DirectoryEntry, FetchSettings, FileEntry, LinkEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { type Host, HostError } from '../../host/host.ts';
import type { StoresSpec } from '../../stores/contract/store.ts';
import { StepError } from '../../tools/step-error.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry } from '../tools/each-entry.ts';
import { withOpened } from '../tools/sealed-content.ts';
import { SecretContents } from '../tools/secret-content.ts';
import { isSecret } from '../tools/secret-files.ts';
import { type FileParts, giveAttributes, makeFile } from './file.ts';
import { isLostByReboot } from './volatile.ts';

/** Files, directories and links that are made together, each with a rule for what is there already. */
export interface TreeSpec {
  files: FileEntry[];
  directories: DirectoryEntry[];
  links: LinkEntry[];
  fetching: FetchSettings;
  stores?: StoresSpec;
}

/**
 * Makes directories, files and symbolic links from the shallowest path to the deepest, and hard links when all
 * else is there (Ignition's `getOrderedCreationList`). Run again, it leaves alone what it has made.
 */
export const makeTree: Work<TreeSpec> = (spec) => ({
  async run(context) {
    const entries = inOrder(spec);
    const secrets = new SecretContents(context.host, spec.stores, context.signal);
    const result = await eachEntry(entries, context, async ({ make }) => {
      await make(context, secrets);
      return '';
    }).finally(() => secrets.close());
    return result.done ? { done: true, message: `${entries.length} made` } : result;
  },

  async renew(host) {
    const secrets = new SecretContents(host, spec.stores);
    const { signal } = new AbortController();
    try {
      for (const parts of together(spec.files)) {
        if (!(await isLostByReboot(host, parts[0].path))) continue;
        const [first, ...others] = await secrets.fillAgain(parts);
        if (first) await makeFile({ host, signal }, [first, ...others], spec.fetching, false);
      }
    } finally {
      await secrets.close();
    }
  },
});

interface Entry {
  depth: number;
  make(context: Context, secrets: SecretContents): Promise<void>;
}

type Context = Pick<StepContext, 'host' | 'interrupted' | 'signal'>;

function inOrder({ files, directories, links, fetching }: TreeSpec): Entry[] {
  const entries: Entry[] = [
    ...directories.map((entry) => ({
      depth: depth(entry.path),
      make: ({ host }: Context) => makeDirectory(host, entry),
    })),
    ...together(files).map((parts) => ({
      depth: depth(parts[0].path),
      make: (context: Context, secrets: SecretContents) => makeSecret(context, parts, fetching, secrets),
    })),
    ...links.map((entry) => ({
      depth: entry.hard ? Number.POSITIVE_INFINITY : depth(entry.path),
      make: ({ host }: Context) => makeLink(host, entry),
    })),
  ];
  // Equal depths stay in the order of the document.
  return entries.sort((a, b) => (a.depth === b.depth ? 0 : a.depth - b.depth));
}

/** Files with the secrets that they name. */
async function makeSecret(
  context: Context,
  parts: FileParts,
  fetching: FetchSettings,
  secrets: SecretContents,
): Promise<void> {
  if (!parts.some(isSecret)) return makeFile(context, parts, fetching, context.interrupted);
  const [first = parts[0], ...others] = await secrets.fill(parts);
  await makeFile(context, [first, ...others], fetching, context.interrupted);
  if (others.length === 0 && first.rule?.present !== 'keep') {
    const [opened = first] = await withOpened(context.host, [first]);
    await secrets.confirm(opened);
  }
}

/** Files with what is appended to them: together they are written at once, so that nothing is appended twice. */
function together(files: readonly FileEntry[]): FileParts[] {
  const groups: FileParts[] = [];
  for (const file of files) {
    const last: FileEntry[] | undefined = file.append
      ? groups.findLast(([first]) => first.path === file.path)
      : undefined;
    if (last) last.push(file);
    else groups.push([file]);
  }
  return groups;
}

function depth(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}

/** A directory; its missing parents are root's. @throws Problem FileNotWritten; HostError */
async function makeDirectory(host: Host, entry: DirectoryEntry): Promise<void> {
  const { path, rule } = entry;
  if (rule.present === 'remove') await host.files.remove(path);
  const found = await host.files.stat(path);
  if (found && found.kind !== 'directory') {
    throw new StepError(
      'FileNotWritten',
      `The directory ${path} was not made: something else is there, and overwrite is not true`,
    );
  }
  if (!found) await host.files.mkdir(path, 0o755);
  const isNew = found === undefined;
  await giveAttributes(host, { ...entry, rule: isNew ? { ...rule, unsaid: [] } : rule });
}

/** A symbolic link, or another name of a file. @throws Problem FileNotWritten; HostError */
async function makeLink(host: Host, entry: LinkEntry): Promise<void> {
  const { path, target, hard, overwrite, owner } = entry;
  const before = await host.files.stat(path);
  if (hard) return makeHardLink(host, entry);
  if (before?.kind === 'symlink' && normalize(await host.files.readlink(path)) === normalize(target)) return;
  if (before && !overwrite) throw occupied(path);
  if (before) await host.files.remove(path);
  await host.files.symlink(target, path);
  await host.files.setAttributes(path, host.files.owner(owner));
}

async function makeHardLink(host: Host, { path, target, overwrite }: LinkEntry): Promise<void> {
  try {
    await host.files.link(target, path);
  } catch (error) {
    if (!(error instanceof HostError) || error.errno !== 'EEXIST') throw error;
    if (!overwrite) throw occupied(path);
    await host.files.remove(path);
    await host.files.link(target, path);
  }
}

function occupied(path: string): StepError {
  const cause = `The link ${path} was not made: something else is there, and overwrite is not true`;
  return new StepError('FileNotWritten', cause);
}
