import type { Diagnostic, Document } from '../../document/document.ts';
import { mentionsKubeadmBootstrap } from '../../kubeadm/config/invocation.ts';
import { entryAt } from '../kind/preview.ts';

/** Looked for before the pattern is, which V8 compiles when it is asked for the first time. */
const NAME = 'cloud-init-per';
const CALL = /^(?:\S*\/)?cloud-init-per(?=\s|$)|^'(?:[^']*\/)?cloud-init-per'(?=\s|$)/;
/** Words that the shell leaves as they are. */
const WORD = /\s*('[^']*'|[\w./:,@%+=-]+)(?=\s|$)/y;
/** Words without quotes, operators or a compound command. */
const PLAIN = /^[\w./:=,@%+ -]*$/;
const COMPOUND =
  /^\s*(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|time|coproc)\b/;
const FREQUENCIES = new Set(['once', 'instance', 'always']);

/**
 * Calls of cloud-init-per that it refuses whatever the machine is like, so that their command never runs. A warning, as the
 * commands behind it run all the same, unless the first failure is to be the end.
 */
export function failingCalls(
  list: 'bootcmd' | 'runcmd',
  { bootCommands, commands, onError }: Document,
): Diagnostic[] {
  const severity = onError === 'stop' ? 'error' : 'warning';
  const entries = list === 'bootcmd' ? bootCommands : commands;
  const refused = entries.flatMap((entry, at) => {
    const why = entry.kind === 'command' ? refusal(entry.shell.reveal().trim()) : undefined;
    if (why === undefined) return [];
    return [entryAt(severity, entry.where, 'UserDataInvalid', `${list} ${at + 1} will fail: ${why}`)];
  });
  return [...refused, ...earlyEnd(entries, list)];
}

/** An `exit` that nothing decides upon: the commands share one shell. */
function earlyEnd(commands: Document['commands'], list: string): Diagnostic[] {
  const texts = commands.map((entry) => (entry.kind === 'command' ? entry.shell.reveal() : ':'));
  const at = texts.findIndex((text) => text.includes('exit') && /^\s*exit(?:\s+\d+)?\s*$/.test(text));
  if (at < 0 || at === texts.length - 1 || !texts.slice(0, at).every(isPlain)) return [];
  const calls = commands.map(
    (entry, index) => entry.kind === 'kubeadm' || mentionsKubeadmBootstrap(texts[index] ?? ''),
  );
  const isLost = calls.includes(true) && calls.indexOf(true) > at;
  const what = isLost ? 'the call of kubeadm never runs' : 'what is behind it never runs';
  const message = `${list} ${at + 1} ends the shell, so ${what}`;
  return [entryAt(isLost ? 'error' : 'warning', commands[at]?.where, 'CommandEndedScript', message)];
}

function refusal(text: string): string | undefined {
  const call = text.includes(NAME) ? CALL.exec(text)?.[0] : undefined;
  if (call === undefined) return undefined;
  const { words, isWhole } = leadingWords(text.slice(call.length));
  const [frequency, name] = words;
  if (frequency === '-h' || frequency === '--help') return undefined;
  if (isWhole && words.length < 3)
    return 'cloud-init-per wants once, instance or always, then a name, then a command';
  if (frequency !== undefined && !FREQUENCIES.has(frequency))
    return 'the first word behind cloud-init-per must be once, instance or always';
  return name?.includes('/') ? 'the name behind cloud-init-per must not hold a /' : undefined;
}

/** Up to the first that the shell would do something with. */
function leadingWords(text: string): { words: string[]; isWhole: boolean } {
  const words: string[] = [];
  let end = 0;
  for (;;) {
    WORD.lastIndex = end;
    const word = WORD.exec(text)?.[1];
    if (word === undefined) return { words, isWhole: text.slice(end).trim() === '' };
    words.push(word.replaceAll("'", ''));
    end = WORD.lastIndex;
  }
}

/** A whole command by itself, whatever stands around it. */
function isPlain(text: string): boolean {
  return PLAIN.test(text) && !COMPOUND.test(text);
}
