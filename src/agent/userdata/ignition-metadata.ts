import { sensitive } from '../../secrets/sensitive.ts';
import type { Document, FileEntry, UserEntry } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import type { Instance } from '../platform/instance/instance.ts';
import type { Diagnostics } from '../text/diagnostics.ts';
import { plainText } from '../text/source-text.ts';
import type { Part } from './decode/part.ts';
import { publicKeysOf } from './instance/public-keys.ts';
import { renderPart, syntaxProblem } from './jinja/render-part.ts';
import { variablesOf } from './jinja/variables.ts';

const HEADER = '## template: jinja\n';
/** Where a template may stand in a file that has no header: kubeadm's own configuration has no braces. */
const TAG = /\{\{|\{%/;
/** The user whom distributions with Ignition let log in (Flatcar, Fedora CoreOS). */
const DEFAULT_USER = 'core';

/** An Ignition config in a template becomes what it renders to; everything else stays. Undefined after an error. */
export function renderedConfig(part: Part, instance: Instance, diagnostics: Diagnostics): Part | undefined {
  const { type, source } = part;
  const isTemplate = type === 'text/jinja2' && /^\s*##[^\n]*\n\s*\{/.test(source.text);
  return isTemplate ? renderPart(part, () => variablesOf(instance), diagnostics) : part;
}

/**
 * What an Ignition config gets of the metadata: variables in files that are templates, by their first line or as kubeadm's
 * configuration, and the source's public keys for the user core.
 *
 * @param host The machine, if it is there to be looked at; the config itself may make the user, too.
 */
export async function withMetaData<Content extends Pick<Document, 'files' | 'commands' | 'users'>>(
  content: Content,
  instance: Instance,
  diagnostics: Diagnostics,
  host: Host | undefined,
): Promise<Content> {
  const configs = content.commands.flatMap((entry) =>
    entry.kind === 'kubeadm' && entry.configPath !== undefined ? [entry.configPath] : [],
  );
  const files = content.files.map((file) =>
    renderedFile(file, configs.includes(file.path), instance, diagnostics),
  );
  const keys = instance.cloud?.publicKeys ?? publicKeysOf(instance.metaData);
  if (keys.length === 0) return { ...content, files };
  const own = content.users.find(({ name }) => name === DEFAULT_USER);
  // Only the machine can tell which of them is there.
  if (own === undefined && host === undefined) return { ...content, files };
  if (own === undefined && host && !(await hasUser(host))) {
    const message = `The metadata has public keys for the default user, but the user ${DEFAULT_USER} does not exist: the keys have no effect.`;
    diagnostics.warn('UserDataIgnoredKey', message);
    return { ...content, files };
  }
  const sshAuthorizedKeys = [...new Set([...keys, ...(own?.sshAuthorizedKeys ?? [])])];
  const user = { ...(own ?? THERE), sshAuthorizedKeys };
  return { ...content, files, users: [...content.users.filter((each) => each !== own), user] };
}

/** The user as it is. */
const THERE: UserEntry = {
  name: DEFAULT_USER,
  ...{ groups: [], system: false, noCreateHome: false, noUserGroup: false, lockPassword: false, sudo: [] },
  sshAuthorizedKeys: [],
  exact: { exists: true, noLogInit: false },
};

async function hasUser({ files }: Host): Promise<boolean> {
  const users = (await files.readIfPresent('/etc/passwd'))?.toString('utf8') ?? '';
  return users.split('\n').some((line) => line.startsWith(`${DEFAULT_USER}:`));
}

function renderedFile(
  file: FileEntry,
  isConfig: boolean,
  instance: Instance,
  diagnostics: Diagnostics,
): FileEntry {
  const bytes = Buffer.from(file.content.reveal());
  const isMarked = /^##\s*template:\s*jinja\s*$/im.test(firstLine(bytes));
  if (!isMarked && !isConfig) return file;
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes) || !(isMarked || TAG.test(text))) return file;
  const note = `counted in ${file.path}`;
  // Nobody said that it is a template, and Ignition and kubeadm take it as it is.
  const problem = isMarked ? undefined : syntaxProblem(text);
  if (problem !== undefined) {
    const { message, offset } = problem;
    const where = plainText(text, 0, note).locate(offset);
    const what = `${file.path} has braces but is not a valid Jinja template, and is written unchanged: ${message}`;
    diagnostics.counting(note).warn('UserDataTemplate', what, where);
    return file;
  }
  const source = isMarked ? plainText(text, 0, note) : plainText(`${HEADER}${text}`, -1, note);
  const part = { type: 'text/jinja2', source, name: file.path };
  const rendered = renderPart(part, () => variablesOf(instance), diagnostics.counting(note));
  return rendered ? { ...file, content: sensitive(Buffer.from(rendered.source.text)) } : file;
}

function firstLine(bytes: Buffer): string {
  const head = bytes.subarray(0, 80).toString('latin1');
  return head.slice(0, head.includes('\n') ? head.indexOf('\n') : undefined);
}
