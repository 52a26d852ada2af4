/** Who wrote a line where no prefix names the program: the way in which the kubelet, etcd, systemd and others write. */
import { ETCD_JSON, OTHER_COMMAND, OTHERS } from './sentences.ts';

interface NamedLine {
  text: string;
  program?: string;
  stream: string;
  /** No known prefix was in front of it. */
  isBare: boolean;
}

/** A record of a container's process continues nothing. */
export const OF_CONTAINER = /^\s*[IWEF]\d{4} \S+ +1 [\w.-]+:\d+\] /;
/** Other components run in containers, as process 1. */
const KUBELET =
  /^[IWEF]\d{4} \S+ +(?!1 )(?:\d+ )?(?:run\.go:\d+\] "command failed"|server\.go:\d+\] (?:"?[Ff]ailed to run [Kk]ubelet|unknown flag|"?[Ff]ailed to (?:(?:parse|validate|load|construct) kubelet|set feature gates))|kubelet\w*\.go:\d+\]|pod_workers\.go:\d+\]|kuberuntime_\w+\.go:\d+\]|remote_runtime\.go:\d+\]|reflector\.go:\d+\] .*(?:kubelet|informers)|controller\.go:\d+\] "Failed to ensure lease|bootstrap\.go:\d+\] part of the existing bootstrap client certificate |csi_plugin\.go:\d+\]|certificate_manager\.go:\d+\] )/;
const ETCD_SERVER =
  /^\{"level":"\w+".*"caller":"(?:etcdmain|embed|etcdserver|rafthttp|raft|membership|mvcc|wal|snap)\/|^[CEWIND] \| (?:etcdmain|embed|etcdserver|rafthttp|raft|mvcc|wal|snap|etcdserver\/membership): /;
/** A person has indented it or made a comment of it. */
export const MARGIN = /^(?:\s|[#>*-] )+/;
/** Its sentences without a head. */
export const KUBELET_SAYS =
  /^(?:[Ee]rror: |"|(?:[EF]\.{2,3} ?)?\w+\.go:\d+\] "?)?(?:[Ff]ailed to run [Kk]ubelet(?:: |")|Failed to start (?:ContainerManager|cAdvisor)|failed to parse kubelet flag: )|^(?:remote_runtime|kuberuntime_\w+|pod_workers)\.go:\d+\] |^"command failed" err="failed to (?:run Kubelet|\w+ kubelet )|^failed to (?:validate|load|parse) kubelet (?:config|flag)|^[EFW] ?\.{2,3} "Failed to start (?:cAdvisor|ContainerManager)" err=|^(?:Kubelet: misconfiguration: )?kubelet cgroup driver: \W*\w+\W* is different from \w|^kubelet is configured to not run on a host using cgroup v1\.(?: cgroup v1 support|\s*$)|^(?:\w{0,7} )?flag" err="unknown flag: -|^(?:"?Failed to create sandbox for pod"? err=|"?RunPodSandbox from runtime service failed" err=|RunPodSandbox for \S.* failed: |failed to get sandbox image \\?"[^"\s]{1,200}": failed to pull |Registration of the raw container factory failed: |"?PullImage "?[^\s"]{0,200}\/pause:[^\s"/]*"? failed)|^(?:(?:E\.{2,3} ?)?\w+\.go:\d+\] )?"?Unable to register node (?:"[^"]*" )?with API server/;
/** Of klog's head a terminal or a person has taken the beginning. */
const TORN_HEAD = /^(?:\d{1,4} )?[\d:.]{5,15} +\d+ (?=\w+\.go:\d+\] )/;
/** Its last words behind a name, or what somebody has said of his versions in brackets. */
const KUBELET_BEHIND =
  /^(?:[^"'`]{0,60}[)\]] ?|[\w.-]{1,40} )(?="command failed" err="failed to (?:run Kubelet|\w+ kubelet )|Error: failed to parse kubelet flag: unknown flag: -)/;
/** containerd's, likewise. */
const CONTAINERD_SAYS =
  /^(?:containerd: )?failed to (?:load|unmarshal) TOML\b|^"?RunPodSandbox for .{1,400} failed, error"? error=/;
const LOGRUS = /^time="[^"]*" level=\w+ msg=/;

/** Where no prefix tells the program, its way of writing may. */
export function nameWriter(line: NamedLine): void {
  // One without a prefix has the program of the line before it, if any.
  if (line.program === 'kubelet' || (!line.isBare && /^(?:kube-|etcd)/.test(line.program ?? ''))) return;
  const bare = line.text.replace(MARGIN, '').replace(TORN_HEAD, '').replace(KUBELET_BEHIND, '');
  const isKubelet = KUBELET.test(bare) || KUBELET_SAYS.test(bare);
  const isEtcd = ETCD_SERVER.test(bare);
  const isContainerd = line.program === undefined && !isKubelet && CONTAINERD_SAYS.test(bare);
  if (isKubelet || isEtcd || isContainerd) line.text = bare;
  const { text } = line;
  const program = isKubelet
    ? 'kubelet'
    : isEtcd
      ? 'etcd'
      : isContainerd
        ? 'containerd'
        : /^(?:kubelet|containerd|crio|docker)\.service: /.test(text)
          ? 'systemd'
          : undefined;
  if (program !== undefined) line.program = program;
  else if (LOGRUS.test(text) && line.isBare) line.stream = `${line.stream} logrus`;
  if (program !== undefined) line.stream = `${line.stream} ${program}`;
  else if (
    OTHERS.test(text) &&
    !OTHER_COMMAND.test(text) &&
    line.isBare &&
    !LOGRUS.test(text) &&
    !ETCD_JSON.test(text)
  )
    line.stream = `${line.stream} other`;
}
