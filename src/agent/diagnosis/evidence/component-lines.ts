/** Lines of the control plane's containers in a log: by the name in front of them, or by how they are written. */
import type { LogLine } from '../transcript/line.ts';
import { FENCE } from '../transcript/sentences.ts';

/** A container's program is its process 1. */
const PROCESS_1 = /^[IWEF]\d{4} \S+ +1 [\w.-]+:\d+\] /;
/** Only an API server says it, or speaks to etcd. */
const API_SERVER =
  /\] external host was not specified|createTransport failed to connect to \{[^}]*:2379|service-cluster-ip-range|kube-apiserver|failed to initialize admission: /;
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

/** Longer is no text that a person has put together, and no line in which a command was typed. */
const MAX_PASTED = 400;
const PROMPT = /^(?:\[?[\w.-]{1,64}@[^#$]{1,250}[#$]|[^\s#$]{0,250}[#$])(?: |$)/;
const PRINTS =
  /^(?:sudo )?(?:(cat|less|more|tail|head) |(crictl|docker|nerdctl|kubectl) (?:[^|;]{0,100} )?logs )[^|;&]+/;
/** What only a container writes. The command itself complains, too: of its flags, its configuration, the runtime. */
const WRITTEN =
  /^[IWEF]\d{4} \S+ +1 [\w.-]+:\d+\] |^\{"(?:level|ts)":|^\d{4}-\d\d-\d\d [\d:.]+ [CEWIND] \| |^Error: (?:unknown (?:shorthand )?flag: |invalid argument |context deadline)/;

/** What a person has had printed by a command that names the control plane's container, or in a directory that does. */
function shownBy(lines: readonly LogLine[], name: string): Set<LogLine> {
  const shown = new Set<LogLine>();
  if (lines.length > MAX_PASTED) return shown;
  let isShown = false;
  for (const line of lines) {
    const { text, writer } = line;
    const [prompt] = (text.length > MAX_PASTED ? null : PROMPT.exec(text)) ?? [''];
    const command = text.length > MAX_PASTED ? null : PRINTS.exec(text.slice(prompt.length));
    if (command !== null) isShown = isLogOf(name, prompt, command);
    else if (prompt !== '' || text.trim() === '' || FENCE.test(text)) isShown = false;
    else if (isShown && (writer.split(' ').includes('cri') || WRITTEN.test(text))) shown.add(line);
  }
  return shown;
}

/** Other pods have such names, too: etcd of another namespace, what saves etcd. */
function isLogOf(name: string, prompt: string, [command, file, tool]: RegExpExecArray): boolean {
  const has = (source: string, text: string): boolean =>
    new RegExp(source.replaceAll('NAME', name)).test(text);
  if (file !== undefined) {
    const place = `${prompt}${command}`;
    if (has('_kube-system_NAME-[0-9a-f*]', place)) return true;
    return has('kube-system_NAME-', place) && has('[\\s/]NAME[/#$\\]]', place);
  }
  if (tool !== 'kubectl')
    return has('k8s_NAME_NAME-|k8s://kube-system/NAME-|\\(crictl ps [^)]*\\bNAME\\b', command);
  return (
    has('(?:-n ?|--namespace[ =])kube-system\\b', command) &&
    has(
      '\\s(?:pods?/)?NAME-(?!\\w*(?:backup|defrag|operator|restore|snapshot|simulator))|component=NAME\\b',
      command,
    )
  );
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
