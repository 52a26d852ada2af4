/** Evidence out of a log that somebody collected: what other programs wrote while an attempt went on. */
import type { LogLine } from '../transcript/line.ts';
import { componentLines } from './component-lines.ts';
import { type Evidence, NO_EVIDENCE, type StaticPod } from './evidence.ts';

/** Indexes among all lines, and the lines between which the attempt ran. */
interface LogSpan {
  first: LogLine;
  /** Where that is. */
  place: number;
  /** The last line of the attempt before; -1 where there is none. */
  after: number;
  /** Of the attempt behind; the number of lines where there is none. */
  before: number;
  /** The attempt's own lines. */
  own: readonly LogLine[];
  /** One of many more than anybody reads: only what stands between those before and behind it is looked at. */
  isNarrow: boolean;
}

const RUNTIMES = ['containerd', 'crio', 'cri-o', 'cri-dockerd', 'docker', 'dockerd'];
const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const KUBELET_UNIT = /^(?:kubelet\.service|(?:Started|Stopped|Stopping) kubelet)/;
const RUNTIME_UNIT = /^(?:containerd|crio|docker|cri-docker)\.service/;
const FATAL =
  /"level":"(?:fatal|panic)"|^C \| |^F\d{4} |"command failed"|^panic: |^(?:Error|error|fatal error): /;
/** Until kubeadm writes its configuration a packaged kubelet ends for lack of it. */
const NOT_CONFIGURED = /kubelet\/config\.yaml.*no such file or directory/;
const KUBELET_EXIT =
  /^kubelet\.service: (?:main process exited|failed with result|consumed|scheduled restart)/i;
/** Clocks of prefixes have whole seconds, and systemd tells a little later. */
const SLACK_SECONDS = 5;

/** @param span Undefined: nothing of kubeadm is in the log, and all of it counts. */
export function evidenceInLog(lines: readonly LogLine[], span: LogSpan | undefined): Evidence {
  const seen = span === undefined ? lines : within(lines, span);
  const texts = (test: (line: LogLine) => boolean): string[] => seen.filter(test).map(({ text }) => text);
  const kubeletLog = texts(isKubelet);
  return {
    ...NO_EVIDENCE,
    isCollected: true,
    kubeletLog: span === undefined ? kubeletLog : sinceConfigured(kubeletLog),
    // A runtime that ended before the attempt is still down: its past counts.
    runtimeLog: (span?.isNarrow === true ? seen : lines.slice(0, span?.before))
      .filter(isRuntime)
      .map(({ text }) => text),
    staticPods: COMPONENTS.flatMap((name) => endedPod(name, componentLines(seen, name))),
  };
}

/** It writes in the name of a program that it is about to start, in brackets. */
const SYSTEMD = /^(?:systemd|\([^()]+\))$/;

const isKubelet = ({ program = '', text }: LogLine): boolean =>
  program === 'kubelet' || (SYSTEMD.test(program) && KUBELET_UNIT.test(text));
const isRuntime = ({ program = '', text }: LogLine): boolean =>
  RUNTIMES.includes(program) || (SYSTEMD.test(program) && RUNTIME_UNIT.test(text));
/** Lines of the same time: by the clock where both tell it, else by their place in the file. */
function within(
  lines: readonly LogLine[],
  { first, place, after, before, own, isNarrow }: LogSpan,
): LogLine[] {
  const times = own.flatMap(({ time }) => (time === undefined ? [] : [time]));
  const zone = times[0]?.zone;
  const start = times.reduce((least, { seconds }) => Math.min(least, seconds), Number.POSITIVE_INFINITY);
  const from = isNarrow ? after + 1 : 0;
  return (isNarrow ? lines.slice(from, before) : lines).filter((line, at) => {
    const index = from + at;
    if (line.file !== first.file) return !isEarlier(line);
    if (index <= after || index >= before) return false;
    // Somebody may have put a kubelet's journal in front of an output that has no times.
    return times.length === 0 || line.time === undefined ? true : index > place || !isEarlier(line);
  });

  function isEarlier({ time }: LogLine): boolean {
    return time !== undefined && time.zone === zone && time.seconds < start - SLACK_SECONDS;
  }
}

/** kubeadm wrote the file that was missing: an end for lack of it explains nothing. */
function sinceConfigured(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => NOT_CONFIGURED.test(line));
  if (last < 0) return lines;
  const rest = lines.slice(last + 1);
  const next = rest.findIndex((line) => !KUBELET_EXIT.test(line));
  return next < 0 ? [] : rest.slice(next);
}

function endedPod(name: string, log: string[]): StaticPod[] {
  return log.some((line) => FATAL.test(line)) ? [{ name, state: 'exited', restarts: 0, log }] : [];
}
