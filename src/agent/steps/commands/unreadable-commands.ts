import type { Diagnostic, Document, Position } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { entryAt } from '../kind/preview.ts';

/** A script that ends itself may have anything behind its end; one that sets its shell may have what only then can be read. */
const UNSURE = /\b(?:exit|exec|shopt|alias|setopt)\b/;

/** What bash quotes of the command, which may hold a secret; signs and words of the shell itself are none. */
const WORD =
  /(?<=near unexpected token )[`'](?!(?:newline|then|elif|else|fi|do|done|in|esac|case)')[^'`]*\w[^'`]*'/;

type Item = { text: string; where?: Position; callsKubeadm: boolean };

/** Stands for a call of kubeadm that Slipway makes itself: no shell reads it. */
const KUBEADM = ':';

const MOST_MS = 2000;
/** Where the fault begins is looked for in lists as people write them: each look is a shell. */
const MOST_ITEMS = 48;
const MOST_LETTERS = 256 * 1024;

/**
 * Commands that no shell can read, by the machine's own shell: it ends at the first of them, and of those behind it nothing is
 * run. An error where the call of kubeadm is among these.
 */
export async function unreadableCommands(
  host: Pick<Host, 'processes'>,
  list: 'bootcmd' | 'runcmd',
  { bootCommands, commands }: Pick<Document, 'bootCommands' | 'commands'>,
  shell = '/bin/sh',
): Promise<Diagnostic[]> {
  if (list === 'bootcmd') {
    const items = bootCommands.map(({ shell: text, where }) => item(text.reveal(), where));
    return unreadable(host, shell, list, items, () => false);
  }
  const items = commands.map((entry) =>
    entry.kind === 'kubeadm'
      ? { text: KUBEADM, callsKubeadm: true }
      : item(entry.shell.reveal(), entry.where),
  );
  const decides = !items.some(({ callsKubeadm }) => callsKubeadm);
  return unreadable(host, shell, list, items, (at) => {
    const isAfter = items.slice(at).some(({ callsKubeadm }) => callsKubeadm);
    const isSure = !items.slice(0, at + 1).some(({ text }) => UNSURE.test(text));
    return isSure && (isAfter || decides);
  });
}

function item(text: string, where: Position | undefined): Item {
  return {
    text,
    callsKubeadm: text.includes('kubeadm') && /\bkubeadm\b/.test(text),
    ...(where ? { where } : {}),
  };
}

async function unreadable(
  host: Pick<Host, 'processes'>,
  shell: string,
  list: string,
  items: readonly Item[],
  isFatal: (at: number) => boolean,
): Promise<Diagnostic[]> {
  if (items.every(({ text }) => text === KUBEADM)) return [];
  const why = await complaint(host, shell, items);
  if (why === undefined) return [];
  const isShort = items.length <= MOST_ITEMS && lettersOf(items) <= MOST_LETTERS;
  const at = isShort ? await firstUnread(host, shell, items) : undefined;
  const where = items[at ?? 0]?.where;
  const which = at === undefined ? `an item of ${list}` : `${list} ${at + 1}`;
  const message = `The shell cannot read ${which} (${why}), and would run neither it nor what is behind it`;
  const severity = at !== undefined && isFatal(at) ? 'error' : 'warning';
  return [entryAt(severity, where, 'UserDataInvalid', message)];
}

const lettersOf = (items: readonly Item[]): number => items.reduce((sum, { text }) => sum + text.length, 0);

/** A compound command may reach over several items, so the fault begins behind the last end of whole commands. */
async function firstUnread(
  host: Pick<Host, 'processes'>,
  shell: string,
  items: readonly Item[],
): Promise<number> {
  for (let count = items.length - 1; count > 0; count -= 1)
    if ((await complaint(host, shell, items.slice(0, count))) === undefined) return count;
  return 0;
}

async function complaint(
  { processes }: Pick<Host, 'processes'>,
  shell: string,
  items: readonly Item[],
): Promise<string | undefined> {
  // The blank line ends a command with a backslash at its end, as in the script that is run.
  const input = `${items.map(({ text }) => `${text}\n`).join('\n')}\n`;
  const { exitStatus, stderr, timedOut } = await processes.run({
    argv: [shell, '-n'],
    input,
    timeoutMs: MOST_MS,
    env: { LC_ALL: 'C' },
  });
  if (exitStatus === 0 || timedOut) return undefined;
  const said = /syntax error[^\n]*|unexpected [^\n]*|bad substitution[^\n]*/i.exec(stderr)?.[0];
  // Without such words it is not the text that is wrong: there is no shell.
  return said
    ?.replace(/^syntax error:? */i, '')
    .replace(WORD, 'a word')
    .slice(0, 120);
}
