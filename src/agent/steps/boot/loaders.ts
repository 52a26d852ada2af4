import type { KernelArgumentsEntry } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { runTool } from '../../tools/run-tool.ts';
import { StepError } from '../../tools/step-error.ts';

/** One way in which a machine gives its kernel arguments. */
interface Loader {
  name: string;
  isThere(host: Host): Promise<boolean>;
  change(asked: KernelArgumentsEntry, context: StepContext): Promise<void>;
}

const TOOL_MS = 10 * 60_000;
const GRUB_FOLDER = '/etc/default/grub.d';
/** Read after those of the image. */
const GRUB_FILE = `${GRUB_FOLDER}/99-slipway.cfg`;
const ENTRIES = ['/boot', '/efi', '/boot/efi'].map((base) => `${base}/loader/entries`);
/** kernel-install makes the entries of later kernels by it. */
const FOR_LATER = '/etc/kernel/cmdline';

const has = async (host: Host, program: string) => (await host.processes.which(program)) !== undefined;

/** The first that is there counts: rpm-ostree has entries of systemd-boot's kind too, which it writes itself. */
export const loaders: readonly Loader[] = [
  {
    name: 'ostree',
    isThere: async ({ files }) => (await files.stat('/run/ostree-booted')) !== undefined,
    async change({ present, absent }, context) {
      const program = (await has(context.host, 'rpm-ostree'))
        ? (['rpm-ostree', 'kargs'] as const)
        : (['ostree', 'admin', 'kargs', 'edit-in-place'] as const);
      const added = present.map((one) => `--append-if-missing=${one}`);
      const removed = absent.map((one) => `--delete-if-present=${one}`);
      await run(context, [...program, ...added, ...removed]);
    },
  },
  {
    name: 'GRUB (grubby)',
    isThere: (host) => has(host, 'grubby'),
    async change({ present, absent }, context) {
      const added = present.length > 0 ? [`--args=${present.join(' ')}`] : [];
      const removed = absent.length > 0 ? [`--remove-args=${absent.join(' ')}`] : [];
      await run(context, ['grubby', '--update-kernel=ALL', ...removed, ...added]);
    },
  },
  {
    name: 'GRUB',
    isThere: async (host) =>
      (await has(host, 'update-grub')) && (await host.files.stat('/etc/default/grub')) !== undefined,
    async change(asked, context) {
      const { files } = context.host;
      const text = grubSettings(asked);
      const before = (await files.readIfPresent(GRUB_FILE))?.toString('utf8');
      await files.write(GRUB_FILE, text, { mode: 0o644, owner: '0:0' });
      try {
        await run(context, ['update-grub']);
        await confirm(asked, context);
      } catch (error) {
        // The next update of a kernel would come upon it again.
        if (before === undefined) await files.remove(GRUB_FILE);
        else await files.write(GRUB_FILE, before, { mode: 0o644, owner: '0:0' });
        throw error;
      }
    },
  },
  {
    name: 'systemd-boot',
    isThere: async (host) => (await entryFiles(host)).length > 0,
    change: changeEntries,
  },
];

async function run({ host, signal }: StepContext, argv: [string, ...string[]]): Promise<void> {
  const doing = "change the kernel's arguments";
  await runTool(host, argv, { doing, code: 'KernelArgumentsNotSet', timeoutMs: TOOL_MS, signal });
}

/** An image may have its own way of making grub.cfg. */
async function confirm({ present }: KernelArgumentsEntry, { host }: StepContext): Promise<void> {
  const config = (await host.files.readIfPresent('/boot/grub/grub.cfg'))?.toString('utf8');
  const missing = config === undefined ? [] : present.filter((one) => !config.includes(` ${one}`));
  if (missing.length === 0) return;
  const cause = `update-grub does not put them into /boot/grub/grub.cfg (${missing.join(' ')})`;
  throw new StepError('KernelArgumentsNotSet', `The kernel arguments were not changed: ${cause}`);
}

/** A shell reads it when all other settings are read; no argument has a quote. */
export function grubSettings({ present, absent }: KernelArgumentsEntry): string {
  const drop = absent.length === 0 ? '' : `${absent.map((one) => `'${one}'`).join('|')}) ;;\n      `;
  return `# Made by slipway, by the kernel arguments of the user data.
slipway_kept() {
  kept=
  for word in $1; do
    case $word in
      ${drop}*) kept="$kept\${kept:+ }$word" ;;
    esac
  done
  printf %s "$kept"
}
GRUB_CMDLINE_LINUX=$(set -f; slipway_kept "$GRUB_CMDLINE_LINUX")
GRUB_CMDLINE_LINUX_DEFAULT=$(set -f; slipway_kept "$GRUB_CMDLINE_LINUX_DEFAULT")
${present
  .map(
    (one) => `case " $GRUB_CMDLINE_LINUX " in
  *' ${one} '*) ;;
  *) GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX\${GRUB_CMDLINE_LINUX:+ }"'${one}' ;;
esac
`,
  )
  .join('')}`;
}

async function entryFiles({ files }: Host): Promise<string[]> {
  for (const folder of ENTRIES) {
    const names = (await files.list(folder)).filter((name) => name.endsWith('.conf'));
    if (names.length > 0) return names.map((name) => `${folder}/${name}`);
  }
  return [];
}

async function changeEntries(asked: KernelArgumentsEntry, { host }: StepContext): Promise<void> {
  const { files } = host;
  const read = async (path: string) => (await files.readIfPresent(path))?.toString('utf8');
  const changed: { path: string; content: string }[] = [];
  for (const path of await entryFiles(host)) {
    const before = (await read(path)) ?? '';
    if (!/^linux\s/m.test(before)) continue;
    const after = withOptions(before, asked);
    changed.push({ path, content: after });
  }
  if (changed.length === 0)
    throw new StepError(
      'KernelArgumentsNotSet',
      'The kernel arguments were not changed: the entries of systemd-boot are whole images, which hold them',
    );
  const later = await read(FOR_LATER);
  if (later !== undefined)
    changed.push({ path: FOR_LATER, content: `${changedLine(later.trim(), asked)}\n` });
  for (const { path, content } of changed)
    if ((await read(path)) !== content) await files.write(path, content);
}

/** An entry may have several lines of options; together they are one command line. */
export function withOptions(text: string, asked: KernelArgumentsEntry): string {
  const lines = text.split('\n');
  const isOptions = (line: string) => /^options\s/.test(line);
  const whole = lines
    .filter(isOptions)
    .map((line) => line.replace(/^options\s+/, ''))
    .join(' ');
  const changed = changedLine(whole, asked);
  if (changed === whole) return text;
  const rest = lines.filter((line) => !isOptions(line));
  const at = lines.findIndex(isOptions);
  const place = at >= 0 ? at : rest.findLastIndex((line) => line !== '') + 1;
  return [...rest.slice(0, place), `options ${changed}`, ...rest.slice(place)].join('\n');
}

/** The words of a kernel's command line; quotes keep words together. */
function wordsOf(line: string): string[] {
  return line.match(/(?:"[^"]*"|\S)+/g) ?? [];
}

/** The line with what is missing behind it, and without what is not to be there; the rest as it is. */
export function changedLine(line: string, { present, absent }: KernelArgumentsEntry): string {
  const words = wordsOf(line);
  const kept = words.filter((word) => !absent.includes(word));
  const added = present.filter((word, index) => !kept.includes(word) && present.indexOf(word) === index);
  return kept.length === words.length && added.length === 0 ? line : [...kept, ...added].join(' ');
}

export function isAsAsked(line: string, asked: KernelArgumentsEntry): boolean {
  return changedLine(line, asked) === line;
}
