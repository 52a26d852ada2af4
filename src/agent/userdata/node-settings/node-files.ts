import { positionText } from '../../../kit/position.ts';
import type { Diagnostic, FileEntry } from '../../document/document.ts';
import { NODE_FILES } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { writableByOthers } from '../../host/writable-by-others.ts';
import { Diagnostics } from '../../text/diagnostics.ts';
import { plainText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { merged, readSlipway, type SlipwayKey } from './slipway.ts';

const MAX_BYTES = 1024 * 1024;
const DROP_IN = /^[^./][^/]*\.ya?ml$/;

/** A file of the node's settings: its path and its text. */
export type NodeFile = readonly [path: string, text: string, unsafe?: string];

/**
 * What /etc/slipway/node.yaml and node.d/*.yaml hold on this machine.
 *
 * @throws HostError when a file cannot be read.
 */
export async function readNodeFiles(host: Host): Promise<NodeFile[]> {
  const { files } = host;
  const found: NodeFile[] = [];
  const names = await files.list(NODE_FILES.dropIns);
  for (const path of [NODE_FILES.machine, ...names.map((name) => `${NODE_FILES.dropIns}/${name}`)]) {
    if (!isNodeFile(path)) continue;
    const bytes = await files.readIfPresent(path, MAX_BYTES);
    if (bytes === undefined) continue;
    const unsafe = await writableByOthers(host, path);
    found.push(unsafe === undefined ? [path, bytes.toString('utf8')] : [path, '', unsafe]);
  }
  return found;
}

/**
 * What the files say, which is what else would stand behind the key `slipway`. Files that the document is
 * going to write count as written: user data of Cluster API brings them as files, with cloud-init and
 * without. Later ones win, section by section: node.yaml, then node.d in the order of names.
 */
export function readSettingsOfFiles(
  onDisk: readonly NodeFile[],
  written: readonly FileEntry[],
  diagnostics: Diagnostic[],
): SlipwayKey {
  for (const [, , unsafe] of onDisk) {
    if (unsafe !== undefined)
      diagnostics.push({ severity: 'error', code: 'ConfigFileUnsafe', message: `not used: ${unsafe}` });
  }
  return inOrder(onDisk, written)
    .map(([path, text]) => readFile(path, text, diagnostics))
    .reduce(merged, {});
}

function readFile(path: string, text: string, into: Diagnostic[]): SlipwayKey {
  const diagnostics = new Diagnostics();
  const root = parseYaml(plainText(text), diagnostics);
  const key = root === undefined ? {} : readSlipway(root, diagnostics);
  for (const { where, message, ...entry } of diagnostics.entries) {
    const at = where === undefined ? '' : ` ${positionText(where)}`;
    into.push({ ...entry, message: `${path}${at}: ${message}` });
  }
  return key;
}

/** Paths and contents in the order in which they count. */
function inOrder(onDisk: readonly NodeFile[], written: readonly FileEntry[]): NodeFile[] {
  const contents = new Map<string, string>(onDisk.map(([path, text]) => [path, text]));
  for (const { path, content, append } of written) {
    if (!isNodeFile(path)) continue;
    const text = Buffer.from(content.reveal()).toString('utf8');
    // What is appended to a file of the disk may stand there already, from an earlier run.
    const before = contents.get(path) ?? '';
    contents.set(path, append && !before.endsWith(text) ? before + text : append ? before : text);
  }
  return [...contents].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const rank = (path: string): number => (path === NODE_FILES.machine ? 0 : 1);

function isNodeFile(path: string): boolean {
  if (path === NODE_FILES.machine) return true;
  const prefix = `${NODE_FILES.dropIns}/`;
  return path.startsWith(prefix) && DROP_IN.test(path.slice(prefix.length));
}

/** What the machine's own files say of the deadline; their problems are told with the document. */
export async function deadlineOfMachine(host: Host): Promise<number | undefined> {
  const onDisk = await readNodeFiles(host).catch(() => []);
  return onDisk.length === 0 ? undefined : readSettingsOfFiles(onDisk, [], []).deadlineSeconds;
}
