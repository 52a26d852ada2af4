/** Lines of the control plane's containers in a log: by the name in front of them, or by how they are written. */
import type { LogLine } from '../transcript/line.ts';
import { FENCE } from '../transcript/sentences.ts';

/** A container's program is its process 1. */
const PROCESS_1 = /^[IWEF]\d{4} \S+ +1 [\w.-]+:\d+\] /;
/** Only an API server says it, or speaks to etcd. */
const API_SERVER =
  /\] external host was not specified|createTransport failed to connect to \{[^}]*:2379|service-cluster-ip-range|kube-apiserver/;
const NAMED = /^(?:kube|etcd|containerd|crio|docker|systemd)/;
/** What a record of several lines goes on with. */
const REST = /^(?:[}\])"]|\s*$)/;

/** @param name Container name: `etcd`, `kube-apiserver` ... */
export function componentLines(lines: readonly LogLine[], name: string): string[] {
  const shown = shownBy(lines, name);
  const named = lines
    .filter((line) => isComponent(line.program, name) || shown.has(line))
    .map(({ text }) => text);
  return named.length > 0 || name !== 'kube-apiserver' ? named : unnamedApiServer(lines);
}

/** Longer is no text that a person has put together. */
const MAX_PASTED = 400;
/** A command that prints a log, behind a prompt. */
const PRINTS =
  /^(?:[^'"]{0,200}[#$] ?)?(?:sudo )?(?:cat|less|more|tail|head|(?:crictl|docker|nerdctl|podman|kubectl)(?: \S+)* logs)\b/;
const PROMPT = /^\S*[@~:/\]]\S*[#$](?: |$)|^[#$] /;

/** What a person has had printed by a command that names the container, or in a directory that does. */
function shownBy(lines: readonly LogLine[], name: string): Set<LogLine> {
  const shown = new Set<LogLine>();
  if (lines.length > MAX_PASTED) return shown;
  const container = new RegExp(`(?:^|[\\s/_])${name}(?:[-_/.]|\\s|$)`);
  let isShown = false;
  for (const line of lines) {
    const { text } = line;
    if (PRINTS.test(text)) isShown = container.test(text) && /log/.test(text);
    else if (text.trim() === '' || FENCE.test(text) || PROMPT.test(text)) isShown = false;
    else if (isShown) shown.add(line);
  }
  return shown;
}

/** Docker has `k8s_etcd_etcd-n1_kube-system_...`, a pod's prefix the container alone. */
const isComponent = (program = '', name: string): boolean =>
  program === name || program.startsWith(`k8s_${name}_`) || program.startsWith(`${name}-`);

/** What `crictl logs` printed, or a file below /var/log/pods, pasted without anything that names it. */
function unnamedApiServer(lines: readonly LogLine[]): string[] {
  const streams = new Map<string, string[]>();
  for (const { stream, program = '', text } of lines) {
    if (NAMED.test(program)) continue;
    const same = streams.get(stream);
    if (same === undefined) streams.set(stream, [text.trim()]);
    else same.push(text.trim());
  }
  return [...streams.values()].flatMap((texts) => runsOf(texts)).flat();
}

/** Records of process 1, one behind the other, of which one is an API server's. */
function runsOf(texts: readonly string[]): string[][] {
  const runs: string[][] = [[]];
  for (const text of texts) {
    if (PROCESS_1.test(text)) runs.at(-1)?.push(text);
    else if (!REST.test(text)) runs.push([]);
  }
  return runs.filter((run) => run.some((text) => API_SERVER.test(text)));
}
