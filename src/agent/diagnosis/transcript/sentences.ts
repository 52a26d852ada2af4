/** kubeadm's own standing sentences, 1.20 to 1.36, by which its lines are known in a log of many programs. */

import { CHECK_NAME } from '../patterns/output.ts';

/** An attempt begins. */
export const BEGIN = /^\[preflight\] Running pre-flight checks|^\[init\] Using Kubernetes version: /;
export const PROGRESS =
  /^\[(?:init|preflight|certs|kubeconfig|kubelet(?:-\w+)*|control-plane(?:-\w+)*|etcd|wait-control-plane|apiclient|upload-config|upload-certs|mark-control-plane|bootstrap-token|addons|discovery|download-certs|check-etcd|patches|api-check|kubelet-check|patchnode|endpoint)\] /;
export const COMMAND = /(?:^|[\s"'&;|/])kubeadm["']?(?:,? ?["']?)(init|join)\b(?! phase)/;
export const PHASE_COMMAND = /(?:^|[\s"'&;|/])kubeadm (init|join) phase /;
/** Checks that only `kubeadm upgrade` makes, and what they find. */
export const UPGRADE_FINDING =
  /^\s*\[(?:ERROR|WARNING) (?:CreateJob|(?:ControlPlane|Master)NodesReady|StaticPodManifest|APIServerHealth)\]: |there are NotReady (?:control-planes|masters) in the cluster|Job "upgrade-health-check/;
/** A command line that does something else. */
export const OTHER_COMMAND =
  /^(?:\+ |\S*[#$%] |[^'"]{0,60}[#$] )?(?:sudo )?(?:(?:docker|nerdctl|podman) exec \S+ )?(?:\S*\/)?kubeadm (?:upgrade|reset|certs|config|token)\b/;
export const SUCCESS =
  /^Your Kubernetes (?:control-plane|master) has initialized successfully!|^This node has joined the cluster(?:[: ]|$)/;
/** minikube has called kubeadm again, and tells by this step that its control plane has come up, or that all is done. */
export const WENT_WELL =
  /^\W{0,8}(?:Configuring RBAC rules \.\.\.$|Done! kubectl is now configured to use ")/u;
/** The last line of an error. */
export const HINT = /^To see the stack trace of this error execute with --v=5 or higher/;
/** What it prints of a failure on standard output, before the error comes. */
export const GAVE_UP =
  /^\s*Unfortunately, an error has occurred(?:, likely caused by)?:\s*$|^\s*This error is likely caused by:\s*$|^\s*(?:Additionally, a|A) control plane component may have crashed/;
/** Its own verdict on what it waited for, 1.30 to 1.36; the error follows at once. */
export const UNHEALTHY =
  /^\s*\[(?:kubelet|api|control-plane)-check\] (?:The kubelet|The API server|kube-[\w-]+|etcd) is not healthy after |^\s*The (?:kubelet|API server) is not healthy after \d/;
/** It found nobody at the kubelet's port, or that is cut off: of a kubelet that comes up it does not say so, for it waits 40 seconds first. */
export const UNREACHED =
  /^\s*\[kubelet-check\] The HTTP call equal to .*(?:connection refused|actively refused|failed with error: Get "?http[^"\s]*$)/;
/** Windows has its own slashes in a check's name. */
export const FINDING = new RegExp(`^\\s*\\[(?:ERROR|WARNING) ${CHECK_NAME}\\]: `);
export const ERROR_FINDING = new RegExp(`^\\s*\\[ERROR ${CHECK_NAME}\\]: `);
export const PHASE_ERROR = /^\s*(?:error: )?error execution phase(?: \S+|$)/;
export const FATAL_FINDINGS = /^\s*(?:error: )?\[preflight\] Some fatal errors occurred:/;
/** The names of its phases, and how those of its checks begin, 1.11 to 1.36: parts of expressions. */
export const PHASES =
  'preflight|certs|kubeconfig|etcd|etcd-join|control-plane|control-plane-prepare|control-plane-join|kubelet-start|kubelet-wait-bootstrap|kubelet-finalize|wait-control-plane|upload-config|upload-certs|mark-control-plane|bootstrap-token|addon|show-join-command|check-etcd';
export const CHECKS =
  'IsPrivilegedUser|CRI|ContainerRuntime|File(?:Existing|Available|Content)|DirAvailable|Port|Swap|NumCPU|Mem|ImagePull|KubeletVersion|KubernetesVersion|SystemVerification|Hostname|HTTPProxy|Service|Firewalld|ExternalEtcd|IsDockerSystemdCheck|RequiredIPVSKernel|IPVS|Checks|ControlPlaneNodesReady|StaticPodManifest|CreateJob|KubeProxy|CoreDNS';
/** kubeadm refuses before it does anything, and from 1.34 on says so with this word. */
export const PLAIN_ERROR = /^error: \S/;
export const KLOG = /^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +(?:\d+ )?[\w.-]+:\d+\] /;
export const FRAME_FILE = /^\s+\S+\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?$/;
/** A function of kubeadm's in a stack trace. */
export const KUBEADM_FRAME = /^k8s\.io\/kubernetes\/cmd\/kubeadm\/app\/[\w/]+\.\S+$/;
const FRAME_FUNCTION = /^(?:[\w.-]+\/)*[\w-]+\.(?:\(\*?\w+\)\.)?\w+(?:\.\w+)*$/;
/** Standing advice on standard output, which repeats the error before the error comes. */
export const ADVICE =
  /^\s*(?:Unfortunately, an error has|This error is likely|If you are on a systemd|Additionally, a control plane|A control plane component may|Here is one example|To troubleshoot, list|Once you have found)/;
export const CHATTER = /^\[preflight\] If you know what you are doing/;
/** Log lines of the etcd client within kubeadm, and of etcd. */
export const ETCD_JSON = /^\{"level":"|^[^{}]{0,40}"logger":"etcd-client",/;
/** What kubeadm's is told when it makes this machine a member, again and again. */
export const NO_MEMBER =
  /^(?:(?:\{"level":"warn"(?:(?!"caller":).)*|[^{}]{0,40}"logger":"etcd-client",)"caller":"[^"]*retry_interceptor\.go:\d+"|[IWE]\d{4} [^\]]*\] \[etcd\] Promoting the learner \S+ failed: ).*etcdserver: (?:can only promote a learner|re-configuration failed|unhealthy cluster|Peer URLs already exists|too many learner)/;

/** The cluster is found, and has not signed with this token. */
export const NOT_SIGNED =
  /does not yet contain a JWS signature for token ID|could not find a JWS signature in the cluster-info ConfigMap/;

/** Errors that only kubeadm writes: they tell of a failure though nothing else of kubeadm stands around them. */
const OWN_ERRORS = [
  /\[?(?:nodeRegistration|discovery|bootstrapTokens|localAPIEndpoint|networking|controlPlane|controlPlaneEndpoint|apiServer|etcd|caCertPath|certificatesDir|timeouts|podSubnet|serviceSubnet|dnsDomain|featureGates)[\w.[\]]*: (?:Invalid value|Required value|Forbidden|Unsupported value)/,
  /can not mix '--config' with arguments/,
  /your configuration file uses an old API spec/,
  /no kind "(?:Init|Join|Cluster)Configuration" is registered for version/,
  /unable to read config from "/,
  /invalid configuration for GroupVersionKind/,
  /unable to decode config(?: from bytes)?: /,
  /unknown configuration schema\.GroupVersionKind\{Group:"kubeadm\.k8s\.io"/,
  /error unmarshaling configuration schema\.GroupVersionKind\{Group:"kubeadm\.k8s\.io"[^}]*\}: json: cannot unmarshal /,
  /json: cannot unmarshal \w+ into Go struct field (?:(?:Init|Join|Cluster)Configuration|NodeRegistrationOptions|ControlPlaneComponent|APIServer|LocalEtcd|ExternalEtcd|BootstrapToken|Networking)\./,
  /couldn't validate the identity of the API Server/,
  /unable to fetch the kubeadm-config ConfigMap/,
  /failed to request (?:the )?cluster-info/,
  /Failed to request cluster[- ]info, will try again: /,
  /(?:Retrying due to error: )?could not find a JWS signature in the cluster-info ConfigMap/,
  /this version of kubeadm only supports deploying clusters/,
  /[Ff]ound multiple CRI (?:sockets|endpoints)/,
  /error uploading crisocket/,
  /error downloading (?:certs|the secret): /,
  /Secret "kubeadm-certs" was not found in the|(?:secrets "kubeadm-certs"|configmaps "kube(?:adm|let)-config(?:-1\.\d+)?") is forbidden: User "system:bootstrap:/,
  /[Cc]ould(?:n't| not) initialize a Kubernetes cluster/,
  /a Node with name "[^"]*" and status "Ready"/,
  /cluster CA found in cluster-info ConfigMap is invalid/,
  /[Ee]rror writing (?:CRISocket|Crisocket information) for (?:this|the control-plane) node/,
  /etcd cluster is not healthy: failed to dial endpoint/,
  /(?<=error: )failed while waiting for the (?:control plane|kubelet) to start|failed while waiting for the (?:control plane|kubelet) to start: (?:\[?kube-\S+ check failed at |The HTTP call equal|context deadline|client rate limiter)/,
  /\[?failure loading (?:certificate|key) for/,
  /(?<!msg=\W*)unable to select an IP from default routes/,
  /cannot use "[^"]*" as the bind address for the API Server/,
  /couldn't use "[^"]*" as "apiserver-/,
  /unable to fetch cluster-info\. URL: "https:/,
  /unable to fetch file\. URL: "https:\/\/(?:dl\.k8s\.io|storage\.googleapis\.com\/kubernetes-release)\//,
  /v1(?:alpha|beta)\d\.(?:Init|Join|Cluster)Configuration\.\w+: (?:(?:\[\])?v1(?:alpha|beta)\d\.\w|.{0,400}?\b(?:\w*[Dd]ecoder|Read\w+): )/,
  /the bootstrap token "[^"]*" was not of the form/,
  /could not bootstrap the admin user in file/,
  /cannot obtain client without bootstrap: \S/,
  /error uploading the kubeadm ClusterConfiguration: \S/,
  /error uploading certs: (?:error )?\S/,
  /error syncing endpoints with etcd: \S/,
  /could not retrieve the list of etcd endpoints: \S/,
  /error when creating kube-proxy service account: /,
  /couldn't load CA certificate [\w-]+: couldn't load/,
  /couldn't create a kubeconfig; the CA files couldn't be loaded: /,
  /\[certs\] certificate [\w-]+ not signed by CA certificate/,
  /error creating PKI assets: failed to write or validate certificate/,
  /failure while saving [\w/-]+ certificate and key: /,
  /a kubeconfig file "[^"]*" exists already but has got the wrong/,
  /unable to add a new control plane instance/,
  /invalid value "?\S+"? given for controlPlaneEndpoint/,
  /error creating local etcd static pod manifest file/,
  /The HTTP call equal to 'curl -sSL [^']*:102(?:48|55)\/healthz' (?:\w*ailed with error|returned (?:error|HTTP code|status code))/,
];
const OWN_SENTENCES = OWN_ERRORS.map(({ source }) => source).join('|');
const REQUEST = 'Get "?https://\\S+/kube-public/configmaps/cluster-info\\?timeout=10s"?: \\S';
/** Only kubeadm asks so, and again and again until it is answered: an error where nothing else of it is there. */
export const OWN_REQUEST = new RegExp(`^\\s*${REQUEST}`);
/** Such a sentence wherever it stands in a line, behind a prefix that is in no list. */
export const OWN_ERROR_WITHIN = new RegExp(`(?:error: )?(?:${OWN_SENTENCES})`);
/** An error of kubeadm wherever it stands in a line, as somebody quotes it. */
export const ERROR_WITHIN = new RegExp(
  `(?:error: )?error execution phase (?:${PHASES})(?:/[\\w/-]*)?: \\S|\\[ERROR (?:${CHECKS})[\\w./\\\\-]*\\]: \\S|(?:${OWN_SENTENCES}|${REQUEST}).*\\S`,
);
/** So it asks once for what the cluster is like; with `--v` nothing of its own stands in front of the answer. */
const CONFIG_REQUEST = 'Get "?https://\\S+/kube-system/configmaps/kubeadm-config\\?timeout=10s"?: \\S';
export const OWN_ERROR = new RegExp(`^\\s*(?:error: )?(?:${OWN_SENTENCES}|${CONFIG_REQUEST})`);

/** Markdown's line around a quoted output: a sentence ends there at the latest. */
export const FENCE = /^\s*(?:```|~~~)/;

/** Does a line begin something of its own, so that it does not continue the one before? */
export function isHead(text: string): boolean {
  return (
    text.trim() === '' ||
    FENCE.test(text) ||
    /^\s*\[[a-z][\w/-]*\] /.test(text) ||
    FINDING.test(text) ||
    /^\s*\[ERROR [\w./\\-]*$/.test(text) ||
    KLOG.test(text) ||
    PHASE_ERROR.test(text) ||
    HINT.test(text) ||
    OWN_ERROR.test(text) ||
    SUCCESS.test(text) ||
    ADVICE.test(text) ||
    ETCD_JSON.test(text) ||
    FRAME_FILE.test(text) ||
    FRAME_FUNCTION.test(text) ||
    OTHERS.test(text)
  );
}

/**
 * Commands of scripts that run kubeadm, and services, put their name in front of what they complain of. The end of a word
 * that a terminal has broken must not be one.
 */
const NAMED =
  "(?:(?:apt-get|bash|consul|hostnamectl|iptables|modprobe|nomad|ntpdate|openssl|python3|sshd|sudo|swapoff|swapon|sysctl|umount|useradd|usermod|vault|wget|zypper|[\\w.-]{1,40}\\[\\d+\\]): (?!Invalid value|Required value|Forbidden|Unsupported value|Duplicate value)|curl: \\(|(?:cat|chmod|chown|cp|grep|ln|ls|mkdir|mount|mv|rm|sed|tar|tee): (?:cannot |can't |\\S+: (?:No|Permission|Is) ))";

/**
 * Lines that other programs write between kubeadm's where nothing names the program: shells, logrus, package managers,
 * cloud-init, the kernel, services. `level=fatal` is how crictl ends, which a finding repeats; its time may stand a line before.
 */
const UNNAMED =
  /^(?:\+{1,3} |time="|level=(?!fatal msg=")\w+ |\{"|ci-info|Cloud-init v|\d{4}[-/]\d\d[-/]\d\d |Get:\d|Hit:\d|Ign:\d|Err:\d|Fetched \d|Reading (?:package|state)|Building dependency|Setting up \S+ \(|Unpacking \S+ \(|Preparing to unpack|Selecting previously|Processing triggers|E: |W: |dpkg: |debconf: |Created symlink |Warning: The unit file|Failed to (?:start|stop|restart|enable) \S+|Job for \S+ failed|See "systemctl|audit: |audit\(|systemd\[\d+\]: |\w+@\S+[:~].*[#$] |#{5} std|-- |● |Main PID|Loaded: |Active: |Error: |[\w@.-]+\.(?:service|socket|timer|mount|slice|scope): |(?:Started|Stopped|Starting|Stopping|Finished|Reached target|Scheduled restart) )/;
export const OTHERS = new RegExp(`^${NAMED}|${UNNAMED.source}`);
