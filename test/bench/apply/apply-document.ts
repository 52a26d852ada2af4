import { metaData } from '../../support/cluster-api/user-data.ts';

interface DocumentFile {
  readonly path: string;
  readonly mode: string;
  readonly content: string;
}

/** The same work for each contender. */
export interface ApplyDocument {
  readonly files: readonly DocumentFile[];
  /** Paths that the commands make, to see that they ran. */
  readonly traces: readonly string[];
  /**
   * `#cloud-config` with the jinja header, as Cluster API's kubeadm provider renders it. It asks for no users, so that nobody
   * makes the default user of the image's cloud.cfg.
   */
  readonly userData: string;
  readonly metaData: string;
}

const COMMANDS = [
  'mkdir -p /etc/containerd /var/lib/slipway-bench',
  'touch /var/lib/slipway-bench/1',
  'sysctl -n net.ipv4.ip_forward > /var/lib/slipway-bench/2',
  'ln -sf /etc/kubernetes/bench/crictl.yaml /var/lib/slipway-bench/3',
  'for i in 1 2 3; do echo $i; done > /var/lib/slipway-bench/4',
  'hostname > /var/lib/slipway-bench/5',
];

/**
 * A control-plane machine's document: 12 files (8 certificates and keys, kubeadm's configuration, the placeholder, two
 * of the user's) and 6 commands. The kubeadm line itself is left out: it would take half a minute in each contender.
 *
 * @param certificates path below /etc/kubernetes/pki and PEM, as `makeCertificates` gives them
 */
export function applyDocument(certificates: readonly { path: string; pem: string }[]): ApplyDocument {
  const files: DocumentFile[] = [
    ...certificates.map(({ path, pem }) => ({
      path: `/etc/kubernetes/pki/${path}`,
      mode: path.endsWith('.key') ? '0600' : '0640',
      content: pem,
    })),
    {
      path: '/etc/kubernetes/bench/crictl.yaml',
      mode: '0644',
      content: 'runtime-endpoint: unix:///run/containerd/containerd.sock\n',
    },
    { path: '/etc/kubernetes/bench/audit-policy.yaml', mode: '0600', content: AUDIT_POLICY },
    { path: '/run/kubeadm/kubeadm.yaml', mode: '0640', content: KUBEADM },
    {
      path: '/run/cluster-api/placeholder',
      mode: '0640',
      content: 'This placeholder file creates the directory.\n',
    },
  ];
  return {
    files,
    traces: [1, 2, 3, 4, 5].map((number) => `/var/lib/slipway-bench/${number}`),
    userData: `## template: jinja\n#cloud-config\n\nslipway: {kubeadm: none}\nusers: []\nwrite_files:\n${files.map(cloudConfigFile).join('')}runcmd:\n${COMMANDS.map((command) => `  - ${JSON.stringify(command)}\n`).join('')}`,
    metaData: metaData('lab-root'),
  };
}

function cloudConfigFile({ path, mode, content }: DocumentFile): string {
  const body = content.replace(/^(?=.)/gm, '      ').replace(/\n$/, '');
  return `-   path: ${path}\n    owner: root:root\n    permissions: '${mode}'\n    content: |\n${body}\n\n`;
}

const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
`;

const KUBEADM = `---
apiVersion: kubeadm.k8s.io/v1beta2
clusterName: bench
controlPlaneEndpoint: 10.99.0.11:6443
kind: ClusterConfiguration
kubernetesVersion: v1.20.2
networking:
  podSubnet: 10.244.0.0/16

---
apiVersion: kubeadm.k8s.io/v1beta2
bootstrapTokens:
- token: abcdef.0123456789abcdef
  ttl: 15m0s
kind: InitConfiguration
localAPIEndpoint:
  advertiseAddress: 10.99.0.11
nodeRegistration:
  criSocket: /run/containerd/containerd.sock
  name: lab-root
`;
