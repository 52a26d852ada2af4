/** What keeps a kubelet that runs from its work: its Node, its certificate, its static pods. Texts: 1.20 to 1.36. */
import { QUOTA } from '../patterns/etcd.ts';
import { diagnoseImagePull } from '../patterns/image.ts';
import { PROXY_REFUSAL } from '../patterns/network.ts';
import { UNTRUSTED } from '../patterns/tls.ts';
import { CGROUPS_PATH } from './kubelet-start-machine.ts';
import { portFacts, type Rule, reason, rule } from './rule.ts';

/** A pod of somebody's may have no image; kubeadm waits for its own. */
const OWN_IMAGE = /kube-(?:apiserver|controller-manager|scheduler|proxy)|etcd|pause|coredns/;

const image: Rule['diagnose'] = ([text]) => {
  const name = /image="?([^\s"]+)|(?:image|reference) "([^"]+)"/i.exec(text)?.slice(1).find(Boolean);
  return name === undefined || OWN_IMAGE.test(name)
    ? diagnoseImagePull({ name: 'ImagePull', text })
    : undefined;
};

const sandboxImage: Rule['diagnose'] = ([text, name = '', end]) => {
  // That of a distribution that needs no kubeadm.
  if (/^(?:docker\.io\/)?rancher\//.test(name)) return undefined;
  const said =
    end === '"'
      ? diagnoseImagePull({ name: 'ImagePull', text }, `No pod can start: the sandbox image ${name}`)
      : ({
          code: 'ImagePullFailed',
          cause: 'No pod can start: the sandbox image cannot be pulled; the reason is cut off.',
        } as const);
  return {
    ...said,
    remedy:
      "Set the sandbox image in the container runtime's configuration (sandbox_image) to one that is on the machine or in a reachable registry.",
    // An image that a runtime's configuration names is asked for again and again, but only the registry can help.
    persistence: 'until-deadline',
  };
};

/** Every pod needs it, whosever the pod is. */
const SANDBOX_IMAGE: Rule = rule(
  /(?:failed to (?:get|pull) sandbox image "|failed pulling image "(?=[^"]{1,200}\/pause:))([^"]+)(?:(")|$).*/,
  sandboxImage,
);

/** The runtime's own account of it. */
export const SANDBOX_PULL: Rule = rule(/"?PullImage "?([^\s"]*\/pause:[^\s"]+)(")? failed.*/, sandboxImage);

/** By the kubelet or by crictl, which kubeadm asks to pull. */
export const OWN_IMAGE_PULL: Rule = rule(
  /Failed to pull image "?([^\s"]+)"?.*|"?PullImage from image service failed.*|PullImage "([^"]+)" failed.*/,
  image,
);

const imageRules: Rule[] = [SANDBOX_IMAGE, OWN_IMAGE_PULL];

/** Whatever the pod is, nothing starts it. */
const EXEC_DENIED: Rule = rule(/fork\/exec (\/\S+?): permission denied/, ([, path]) => ({
  code: 'FileAccessDenied',
  cause: `No container can start: the container runtime cannot execute ${path}: permission denied.`,
}));

/** On an image whose /usr cannot be written, the controller manager's directory of volume plugins. */
export const PLUGIN_DIRECTORY: Rule = rule(
  /MountVolume\.SetUp failed for volume "flexvolume-dir".{0,400}?: ?mkdir (\/[^\s:]{1,300}): read-only file system/,
  ([, path]) => ({
    code: 'FileSystemReadOnly',
    cause: `The kubelet cannot start a static pod because it cannot create ${path}: read-only file system.`,
    remedy:
      'Set flex-volume-plugin-dir of the controller manager, and its hostPath, to a writable directory.',
  }),
);

/** Where every program looks for it the kubelet does, too: what is missing there is the link's goal, or all of it. */
const OWN_RESOLV_CONF = '/etc/resolv.conf';

/** CRI-O compares before it makes a sandbox; a terminal may have cut off the path. */
const CRIO_CGROUPS =
  /cri-o configured with (systemd|cgroupfs) cgroup manager, but (?:did not receive|received?)\b/;

/** Whatever the pod is, nothing starts it. */
const EVERY_POD: Rule[] = [
  rule(
    /Failed to generate sandbox config for pod\b.*?(?:: |err=")open (\/\S+?): ([a-z ]+)/,
    ([, path, why]) => ({
      code: 'KubeletFileMissing',
      cause: `No pod can start: the kubelet cannot read its resolvConf ${path}: ${reason(why)}.`,
      remedy:
        path === OWN_RESOLV_CONF
          ? 'Create /etc/resolv.conf, or start the service that writes the file it links to (systemd-resolved, NetworkManager). resolvConf in the KubeletConfiguration can name another file.'
          : 'Set resolvConf: /etc/resolv.conf in the KubeletConfiguration, or run systemd-resolved, which writes the file in /run/systemd/resolve.',
    }),
  ),
  CGROUPS_PATH,
  rule(CRIO_CGROUPS, ([, crio]) => {
    const kubelet = crio === 'systemd' ? 'cgroupfs' : 'systemd';
    return {
      code: 'CgroupDriverMismatch',
      cause: `CRI-O uses the cgroup driver ${crio}, the kubelet ${kubelet}.`,
      remedy:
        'Set cgroupDriver: systemd in the KubeletConfiguration and cgroup_manager = "systemd" in a file in /etc/crio/crio.conf.d, and restart both.',
    };
  }),
  EXEC_DENIED,
  rule(
    /exec: "?runc"?: executable file not found|fork\/exec \S*runc\S*: no such file|exec: "([\w./-]*runc)": (?:executable file not found|stat)/,
    () => ({
      code: 'ProgramMissing',
      cause: 'No container can start: runc is not installed.',
    }),
  ),
  rule(/apparmor_parser"?(?:(?!apparmor_parser)[^"])*(?:executable file not found|no such file)/i, () => ({
    code: 'ProgramMissing',
    cause: 'No container can start: AppArmor is on but apparmor_parser is not installed.',
  })),
  rule(/cgroups: cgroup mountpoint does not exist/, () => ({
    code: 'CgroupsUnsuitable',
    cause:
      'No container can start: the container runtime needs cgroup v1, which is not mounted on this machine.',
    remedy:
      'Use a container runtime that supports cgroup v2 (containerd 1.4, Docker 20.10, or newer). Until then, boot with cgroup v1 (systemd.unified_cgroup_hierarchy=0 on the kernel command line), which systemd supports before 258.',
  })),
  rule(/seccomp is not supported/, () => ({
    code: 'ContainerNotStarted',
    cause: 'No container can start: the container runtime finds no seccomp support on this machine.',
    remedy:
      'Use a kernel with CONFIG_SECCOMP_FILTER and a container runtime that was built with seccomp (containerd, runc and libseccomp from the same distribution).',
    persistence: 'permanent',
  })),
  rule(/failed to mount rootfs component(?: &\{[^}]{0,800}\})?: ([a-z ]+)/, ([, why = '']) => ({
    code: 'ContainerNotStarted',
    cause: `No container can start: containerd's snapshotter cannot mount a container's root (${why}).`,
    remedy: why.startsWith('no such device')
      ? "Load the kernel module overlay at boot (a line in /etc/modules-load.d), or set another snapshotter in containerd's configuration."
      : "Check the kernel's messages about overlayfs (dmesg), and put /var/lib/containerd on a file system that supports it (ext4, xfs with ftype=1), or set another snapshotter in containerd's configuration.",
  })),
];

const SHORTEST = 12;

const containerRules: Rule[] = [
  ...EVERY_POD,
  rule(/no runtime for "(\w+)" is configured/, ([, name]) => ({
    code: 'ContainerRuntimeUnsuitable',
    cause: `The container runtime has no runtime named ${name} configured.`,
    remedy: `Configure the runtime ${name} in the container runtime, or set its default runtime to one that is configured, and restart it.`,
  })),
  rule(/apparmor(?:(?!apparmor)[^"])*?profile(?:(?!profile)[^"])*?(?:failed|not found)[^"]*/i, ([text]) => ({
    code: 'ContainerNotStarted',
    cause: `The container runtime cannot start a container: ${reason(text)}.`,
    remedy:
      'Load that AppArmor profile in the image (apparmor.service), or use a loaded profile in the pod or the container runtime.',
  })),
  rule(
    /(?:OCI runtime create failed|runc create failed|failed to create shim task|failed to create containerd task)[^"]*?: ((?!OCI runtime|runc create|failed to create).*)/,
    ([, why = '']) => ({
      code: 'ContainerNotStarted',
      // Nothing that runc says is so short: a terminal has cut it off.
      cause:
        why.length < SHORTEST
          ? 'The container runtime cannot start a container; the reason is cut off.'
          : `The container runtime cannot start a container: ${reason(why)}.`,
    }),
  ),
  rule(
    /"(?:Failed to create log directory for pod|CreatePodSandbox for pod failed|(?:Unable|Failed) to make pod data dir[a-z ]{0,20})" err="[^"]{0,60}?(?:mkdir|open|write) (\/[^\s:]{1,300}): (read-only file system|no space left on device|permission denied)/,
    ([, path, why]) => ({
      code: why?.startsWith('read')
        ? 'FileSystemReadOnly'
        : why?.startsWith('no')
          ? 'DiskFull'
          : 'FileAccessDenied',
      cause: `The kubelet cannot start a pod because it cannot create ${path}: ${why}.`,
    }),
  ),
  PLUGIN_DIRECTORY,
  rule(
    /RunPodSandbox from runtime service failed(?:"? err="|: )(?:rpc error: )?(?:code = \w+ desc = )?(.*)/,
    ([, why = '']) =>
      // journalctl cut it off before the reason.
      /^(?:rpc error: )?(?:code = \w*)?(?: desc)?[ =]*[>…]$/.test(why)
        ? undefined
        : {
            code: 'ContainerNotStarted',
            cause: `The container runtime cannot start a pod: ${reason(why)}.`,
          },
  ),
  rule(/(?:Could not|Can't) process manifest file(?:" path="([^\s"]+)")?.*?err="(.*)/i, ([, path, why]) => ({
    code: 'ControlPlaneConfigInvalid',
    cause: `The kubelet cannot read the static pod${path === undefined ? '' : ` ${path}`}: ${reason(why)}.`,
    remedy: 'Correct the static pod, or the patch that produced it.',
  })),
  rule(/must evict pod\(s\) to reclaim"? resourceName="?(?:ephemeral-storage|nodefs|imagefs)/, () => ({
    code: 'DiskFull',
    cause: 'The kubelet evicts pods because the disk is nearly full.',
  })),
  rule(/must evict pod\(s\) to reclaim"? resourceName="?memory/, () => ({
    code: 'OutOfMemory',
    cause: 'The kubelet evicts pods because memory is nearly used up.',
  })),
];

const REQUEST =
  /(?:Unable to register node (?:"[^"]*" )?with API server|error getting node|Failed to (?:ensure|update) lease|cannot create certificate signing request|Failed while requesting a signed certificate)/i;

/** What the API server answers to the kubelet's Node. */
export const KUBELET_REFUSED_RULES: Rule[] = [
  rule(
    /(?:leases\.coordination\.k8s\.io|nodes) "([^"]+)" is forbidden: User "system:node:([^"]+)" cannot/,
    ([, node, self]) =>
      node === self
        ? undefined
        : {
            code: 'NodeNameInvalid',
            cause: `The kubelet runs as the Node ${node}, but its certificate is for ${self}.`,
            remedy:
              "Make nodeRegistration.name and the kubelet's name (hostname-override, cloud provider) the same.",
          },
  ),
  rule(
    /nodes? "([^"]+)" is forbidden: node "?([^\s"]+)"? (?:is not allowed to|cannot) (?:modify|create|register) node/,
    ([, node, self]) => ({
      code: 'NodeNameInvalid',
      cause: `The kubelet tries to register the Node ${node}, but its certificate is for ${self}.`,
      remedy:
        "Make nodeRegistration.name and the kubelet's name (hostname-override, cloud provider) the same.",
    }),
  ),
  rule(/Node "([^"]*)" is invalid: (.*?)(?:" node="|$)/, ([, node, why]) => ({
    code: 'NodeNotRegistered',
    cause: `The API server refuses the Node ${node}: ${reason(why)}.`,
    remedy:
      'Correct what the API server names: a label, taint or annotation in nodeRegistration, or the node name.',
  })),
  rule(
    /register node\b.*?admission webhook "([^"]+)" denied the request: (.*?)(?:" node="|$)/,
    ([, hook, why]) => ({
      code: 'PermissionDenied',
      cause: `The admission webhook ${hook} refuses the Node: ${reason(why)}.`,
      remedy: 'Exempt Nodes from that webhook, or provide what it requires.',
    }),
  ),
  rule(/register node\b.*?failed calling webhook "([^"]+)": (.*?)(?:" node="|$)/, ([, hook, why]) => ({
    code: 'ApiServerUnavailable',
    cause: `The API server could not accept the Node because it failed calling webhook ${hook}: ${reason(why?.replace(/^failed to call webhook: /, ''))}.`,
    remedy:
      "Start the webhook's server, or exclude Nodes in the webhook's rules or set its failurePolicy to Ignore.",
  })),
  rule(/register node\b.*?nodes "([^"]+)" is forbidden: ((?!User ).*?)(?:" node="|$)/, ([, node, why]) => ({
    code: 'PermissionDenied',
    cause: `The API server refuses the Node ${node}: ${reason(why)}.`,
    remedy: 'Allow this Node in the policy named, or provide what the policy requires.',
  })),
];

const nodeRules: Rule[] = [
  ...KUBELET_REFUSED_RULES,
  rule(/nodes is forbidden: User "(system:node:[^"]+)" cannot create/, ([, user]) => ({
    code: 'PermissionDenied',
    cause: `The kubelet may not register its Node: the API server does not allow ${user} to create Nodes.`,
    remedy:
      'Enable Node in --authorization-mode and NodeRestriction in the admission plugins of each API server, as kubeadm does.',
  })),
  rule(/certificate signing request[^"]* (?:is|was) denied(?:, reason: (.*))?/i, ([, why]) => ({
    code: 'KubeletCertificateNotIssued',
    cause: `The certificate signing request of the kubelet was denied${why === undefined ? '' : `: ${reason(why)}`}.`,
    remedy: 'Check kubectl get csr and the approver that denied it.',
  })),
  rule(/certificatesigningrequests\S* is forbidden: User "([^"]*)"/, ([, user]) => ({
    code: 'PermissionDenied',
    cause: `The kubelet gets no certificate: ${user} may not request one.`,
    ...(user === 'system:anonymous'
      ? {
          remedy:
            'Check that /etc/kubernetes/bootstrap-kubelet.conf contains a token, and that nothing between the kubelet and the API server strips it.',
        }
      : {}),
  })),
  // The address in it is the webhook's, not the API server's.
  rule(
    /cannot create certificate signing request: [^"]*failed calling webhook "([^"]+)": (.*?)(?:" logger=|$)/,
    ([, hook, why]) => ({
      code: 'ApiServerUnavailable',
      cause: `The API server could not accept the kubelet's certificate request because it failed calling webhook ${hook}: ${reason(why?.replace(/^failed to call webhook: /, ''))}.`,
      remedy:
        "Start the webhook's server, or exclude CertificateSigningRequests in the webhook's rules or set its failurePolicy to Ignore.",
    }),
  ),
  rule(
    /cannot create certificate signing request: (?:certificatesigningrequests\S* "[^"]*" is forbidden: (?!User )|(?=admission webhook "[^"]*" denied))(.*?)(?:" logger=|$)/,
    ([, why]) => ({
      code: 'PermissionDenied',
      cause: `The API server refuses the kubelet's certificate request: ${reason(why)}.`,
      remedy: 'Allow certificate requests from kubelets in the policy or webhook named.',
    }),
  ),
  rule(new RegExp(`${REQUEST.source}.*mvcc: database space exceeded`, 'i'), () => ({
    code: 'EtcdUnhealthy',
    ...QUOTA,
  })),
  rule(
    new RegExp(
      `${REQUEST.source}.*(etcdserver: (?:leader changed|request timed out[^"]*|no leader|too many requests))`,
      'i',
    ),
    ([, why]) => ({
      code: 'ApiServerUnavailable',
      cause: `The API server could not serve a request from the kubelet: ${reason(why)}.`,
    }),
  ),
  rule(new RegExp(`${REQUEST.source}.*\\bUnauthorized\\b`, 'i'), ([text]) =>
    /certificate/i.test(text)
      ? {
          code: 'CredentialsRejected',
          cause: "The API server does not accept the kubelet's bootstrap token (Unauthorized).",
        }
      : {
          code: 'CredentialsRejected',
          cause: "The API server does not accept the kubelet's certificate (Unauthorized).",
          remedy:
            "Use openssl x509 to check whether /var/lib/kubelet/pki/kubelet-client-current.pem is still valid and signed by this cluster's CA.",
        },
  ),
  rule(new RegExp(`${REQUEST.source}.*\\bx509: (certificate[^"]*)`, 'i'), ([, why]) => ({
    code: /expired|not yet valid/.test(why ?? '') ? 'ClockWrong' : 'ApiServerCertificateInvalid',
    cause: `The kubelet does not trust the API server: ${reason(why)}.`,
    ...(/unknown authority/.test(why ?? '') ? { remedy: UNTRUSTED } : {}),
  })),
  rule(
    new RegExp(`${REQUEST.source}.*\\blookup (\\S+?)(?: on (\\S+?))?: ([^"]*)`, 'i'),
    ([, name, , why]) => ({
      code: 'ApiServerNameUnresolved',
      cause: `The kubelet cannot resolve ${name}, the name of the API server: ${reason(why)}.`,
    }),
  ),
  rule(
    new RegExp(
      `${REQUEST.source}.*?(?:proxyconnect tcp: ([^"]*)|"https:[^"]*": (${PROXY_REFUSAL})(?=["\\s]|$))`,
      'i',
    ),
    ([, connecting, refusal]) => ({
      code: 'ApiServerUnreachable',
      cause: `The kubelet cannot reach the API server through the proxy: ${reason(connecting ?? refusal)}.`,
      remedy:
        "Add the control plane endpoint to the kubelet's NO_PROXY (environment of kubelet.service), or correct HTTPS_PROXY.",
    }),
  ),
  rule(
    new RegExp(
      `${REQUEST.source}.*?: ((?:unexpected )?EOF|(?:read|write) tcp \\S+: .*(?:connection reset by peer|broken pipe)|net/http: TLS handshake timeout)`,
      'i',
    ),
    ([, why]) => ({
      code: 'ApiServerUnavailable',
      cause: `The API server closed a connection from the kubelet: ${reason(why)}.`,
    }),
  ),
  rule(
    new RegExp(
      `${REQUEST.source}.*?dial tcp (\\S+?): (?:connect: )?(connection refused|no route to host|network is unreachable|i/o timeout|connection timed out)`,
      'i',
    ),
    ([, address, why]) => ({
      code: 'ApiServerUnreachable',
      cause: `The kubelet cannot reach the API server at ${address}: ${why}.`,
    }),
  ),
];

/** It works without it, and asks for the port again every five seconds; whoever asks there is answered by somebody else. */
export const HEALTH_PORT: Rule = rule(
  /(?:"Failed to start healthz server" err="|Starting healthz server failed: )listen tcp\d? (\S+?): bind: address already in use/,
  ([, address]) => ({
    code: 'PortInUse',
    cause: `The kubelet cannot serve its health endpoint at ${address}: the port is in use.`,
    ...portFacts(address),
  }),
);

/** One that waits for its first certificate asks so, too: whatever else it complains of says more. */
export const ANONYMOUS: Rule = rule(
  /Unable to register node .*\b(?:nodes|nodes "[^"]*") is forbidden: User "system:anonymous"/,
  () => ({
    code: 'KubeletCertificateNotIssued',
    cause:
      'The kubelet contacts the API server without a certificate (system:anonymous): it has no valid one.',
    remedy:
      "Check that /var/lib/kubelet/pki/kubelet-client-current.pem exists and is valid by this machine's clock (openssl x509 -noout -dates), whether kubectl get csr shows a pending request, and whether a load balancer or proxy terminates TLS in front of the API server.",
  }),
);

/** A pager or a person cut it off before the reason. */
export const CUT_REGISTRATION: Rule = rule(
  /Unable to register node (?:"[^"]*" )?with API server(?:" err="[^\s"]*(?: "[^\s"]*(?:": (?:dial(?: tcp(?: [\d.:]*)?)?)?)?)?|: (?:Post|Get) "?https:[^\s"]*)[>…]?$/,
  () => ({
    code: 'NodeNotRegistered',
    cause: 'The kubelet could not register its Node with the API server; the reason is cut off.',
  }),
);

export const KUBELET_IMAGE_RULES: readonly Rule[] = imageRules;
export const KUBELET_CONTAINER_RULES: readonly Rule[] = containerRules;
export const KUBELET_POD_RULES: readonly Rule[] = [SANDBOX_IMAGE, ...EVERY_POD];
export const KUBELET_NODE_RULES: readonly Rule[] = nodeRules;
