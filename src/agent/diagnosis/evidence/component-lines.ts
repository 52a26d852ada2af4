/** Lines of the control plane's containers in a log: by the name in front of them, or by how they are written. */
import type { LogLine } from '../transcript/line.ts';

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
  const named = lines.filter(({ program }) => isComponent(program, name)).map(({ text }) => text);
  return named.length > 0 || name !== 'kube-apiserver' ? named : unnamedApiServer(lines);
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
