/** Programs that are asked what they are: asking costs a process, so an answer is kept for as long as it is the same program. */
import type { Host } from '../../host/host.ts';
import type { CommandResult, CommandSpec } from '../../host/processes.ts';

/** How one is asked; the first word is the path of the program, or a name where there is none. */
export type ProgramQuery = Pick<CommandSpec, 'argv' | 'env' | 'timeoutMs' | 'signal'>;

interface Asked {
  /** Of the program that was asked. */
  identity: string;
  answer: Promise<CommandResult>;
}

/** By path. */
const asked = new WeakMap<Host, Map<string, Asked>>();

/** What it answers, now or before. An answer counts as long as the program is the same; one that failed does not count. */
export async function queryProgram(host: Host, question: ProgramQuery): Promise<CommandResult> {
  const [path] = question.argv;
  const identity = await identityOf(host, path);
  if (identity === undefined) return host.processes.run(question);
  const before = asked.get(host)?.get(path);
  if (before?.identity === identity) {
    const result = await before.answer.catch(() => undefined);
    // Somebody may have put another one there meanwhile.
    if (result?.exitStatus === 0 && identity === (await identityOf(host, path))) return result;
  }
  return ask(host, question, identity);
}

/** Asks what will be asked later, where the answer can count by then; does not wait for it. */
export async function prefetchProgramQuery(host: Host, question: ProgramQuery): Promise<void> {
  const identity = await identityOf(host, question.argv[0]);
  if (identity !== undefined) void ask(host, question, identity).catch(() => undefined);
}

function ask(host: Host, question: ProgramQuery, identity: string): Promise<CommandResult> {
  const answers = asked.get(host) ?? new Map<string, Asked>();
  asked.set(host, answers);
  const answer = host.processes.run(question);
  answers.set(question.argv[0], { identity, answer });
  return answer;
}

/** How programs for Linux and for Windows begin. */
const MACHINE_CODE = ['\x7fELF', 'MZ'];

/**
 * Tells a program from any other that may come to its place. A script may call another one, and so may a program behind a link
 * with another name, as snap's: they stay the same when what they call is replaced.
 */
async function identityOf(host: Host, path: string): Promise<string | undefined> {
  try {
    const real = await host.files.real(path);
    if (!nameOf(real).startsWith(nameOf(path))) return undefined;
    const begin = (await host.ownFiles.readFrom(real, 0, 4)).toString('latin1');
    if (!MACHINE_CODE.some((code) => begin.startsWith(code))) return undefined;
    return await host.ownFiles.identity(real);
  } catch {
    // Whoever runs it learns what is wrong with it.
    return undefined;
  }
}

const nameOf = (path: string): string =>
  path.slice(1 + Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));
