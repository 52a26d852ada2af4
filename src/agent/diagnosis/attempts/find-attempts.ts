/**
 * Finds kubeadm's runs in a log: where each begins, how it ended, and which of its lines belong to the error. An attempt
 * is one stream's; in it, standard output, standard error and other programs may be mixed, so everything rests on
 * kubeadm's own standing sentences.
 */
import { certainAttempts } from '../transcript/certain.ts';
import { type LogLine, linesBy } from '../transcript/line.ts';
import { COMMAND, ERROR_FINDING, KLOG, PHASE_COMMAND, PROGRESS } from '../transcript/sentences.ts';
import type { Attempt, Verb } from './attempt.ts';
import { findInStream } from './in-stream.ts';
import { loneRequest } from './lone-request.ts';

/** Phases that only `init` has; newer kubeadm waits for the control plane in `join` too. */
const INIT_PHASE =
  /^(?:error: )?error execution phase (?:certs|kubeconfig|etcd|control-plane|wait-control-plane|upload-config|upload-certs|mark-control-plane|bootstrap-token|kubelet-finalize|addon|show-join-command)[/:]/;
const FINDINGS_HEAD = 'error execution phase preflight: [preflight] Some fatal errors occurred:';
/** Shorter beginnings tell nothing. */
const SHORTEST = 24;

/** In the order in which they ended. Never throws. @param known What they do, where the log does not tell. */
export function findAttempts(lines: readonly LogLine[], known?: Verb): Attempt[] {
  const order = new Map(lines.map((line, index) => [line, index]));
  const commands = commandsIn(lines);
  const place = (line: LogLine): number => order.get(line) ?? 0;
  const found = [...linesBy('stream', lines).values()].flatMap((stream) =>
    withoutCutRepetition(findInStream(stream)),
  );
  const attempts = found.length > 0 ? certainAttempts(found) : loneRequest(lines);
  let next = 0;
  for (const attempt of attempts.toSorted((a, b) => place(a.first) - place(b.first))) {
    while ((commands[next]?.index ?? Number.POSITIVE_INFINITY) <= place(attempt.first) + 1) next += 1;
    attempt.verb ??=
      commands[next - 1]?.verb ?? (attempt.result === 'failed' ? initPhase(attempt) : undefined) ?? known;
  }
  return attempts.sort((a, b) => place(a.last) - place(b.last));
}

/** The text of an excerpt may end within an error that it has told in full before. */
function withoutCutRepetition(attempts: Attempt[]): Attempt[] {
  const last = attempts.at(-1);
  const said = textOf(last?.error ?? []);
  const isCut = (whole: string): boolean => whole.length > said.length && whole.startsWith(said);
  const isRepeated =
    last?.output.length === 0 &&
    said.length >= SHORTEST &&
    attempts
      .slice(0, -1)
      .some(({ error }) => isCut(textOf(error)) || (isCut(FINDINGS_HEAD) && error.some(isFinding)));
  return isRepeated ? attempts.slice(0, -1) : attempts;
}

const isFinding = ({ text }: LogLine): boolean => ERROR_FINDING.test(text);

const textOf = (lines: readonly LogLine[]): string => lines.map(({ text }) => text.trim()).join(' ');

const initPhase = ({ error }: Attempt): Verb | undefined =>
  error.some(({ text }) => INIT_PHASE.test(text)) ? 'init' : undefined;

/** Command lines that a shell echoes, or a person copied; kubeadm's own hints speak of other commands. */
function commandsIn(lines: readonly LogLine[]): { index: number; verb: Verb }[] {
  const found: { index: number; verb: Verb }[] = [];
  for (const [index, { text }] of lines.entries()) {
    const verb = (COMMAND.exec(text) ?? PHASE_COMMAND.exec(text))?.[1];
    if (verb !== 'init' && verb !== 'join') continue;
    if (KLOG.test(text) || PROGRESS.test(text) || /^\s+(?:sudo )?kubeadm join/.test(text)) continue;
    found.push({ index, verb });
  }
  return found;
}
