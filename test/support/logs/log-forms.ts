/** The forms in which people have kubeadm's output: wrapped, prefixed, quoted, and among other programs' lines. */

/** A generator of numbers below `max`, the same for the same seed. */
type Pick = (max: number) => number;

export function picker(seed: number): Pick {
  let state = (seed * 2654435761 + 12345) % 2147483648;
  return (max) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * max);
  };
}

interface Form {
  name: string;
  /** @param lines Of kubeadm; those of others stand between them where `others` says so. */
  apply(lines: readonly Part[]): string;
}

/** A line of an output, and who wrote it. */
interface Part {
  text: string;
  /** Undefined for kubeadm. */
  program?: string;
  pid?: number;
}

const HOST = 'n1';
const KUBEADM_PID = 1234;
const two = (value: number): string => String(value).padStart(2, '0');
const clock = (index: number): string => `02:${two(34 + Math.floor(index / 60))}:${two(index % 60)}`;
const tag = ({ program = 'cloud-init', pid }: Part): string => `${program}[${pid ?? KUBEADM_PID}]`;

const lined = (name: string, line: (part: Part, index: number) => string): Form => ({
  name,
  apply: (parts) => `${parts.map(line).join('\n')}\n`,
});

const texts = (parts: readonly Part[]): string => parts.map(bare).join('\n');
/** Without a logger a line of another program comes as that program writes it to a console. */
const bare = ({ text, program, pid }: Part): string =>
  program === undefined ? text : `Nov 21 02:35:01 ${HOST} ${program}[${pid}]: ${text}`;

export const PREFIXES: readonly Form[] = [
  lined('journald, short', (part, i) => `Nov 21 ${clock(i)} ${HOST} ${tag(part)}: ${part.text}`),
  lined(
    'journald, short-precise',
    (part, i) => `Nov 21 ${clock(i)}.123456 ${HOST} ${tag(part)}: ${part.text}`,
  ),
  lined('journald, short-iso', (part, i) => `2026-11-21T${clock(i)}+0000 ${HOST} ${tag(part)}: ${part.text}`),
  lined(
    'journald, short-iso-precise',
    (part, i) => `2026-11-21T${clock(i)}.123456+00:00 ${HOST} ${tag(part)}: ${part.text}`,
  ),
  lined(
    'journald, short-full',
    (part, i) => `Sat 2026-11-21 ${clock(i)} UTC ${HOST} ${tag(part)}: ${part.text}`,
  ),
  lined('journald, short-unix', (part, i) => `${1795228440 + i}.123456 ${HOST} ${tag(part)}: ${part.text}`),
  lined(
    'journald, short-monotonic',
    (part, i) => `[${String(34 + i).padStart(5)}.123456] ${HOST} ${tag(part)}: ${part.text}`,
  ),
  lined('journald, with-unit', (part, i) => {
    const unit = part.program === 'systemd' ? 'init.scope' : `${part.program ?? 'cloud-final'}.service`;
    return `Sat 2026-11-21 ${clock(i)} UTC ${HOST} ${unit}[${part.pid ?? KUBEADM_PID}]: ${part.text}`;
  }),
  lined('journald, json', (part, i) =>
    JSON.stringify({
      __REALTIME_TIMESTAMP: String((1795228440 + i) * 1e6),
      _HOSTNAME: HOST,
      SYSLOG_IDENTIFIER: part.program ?? 'cloud-init',
      _PID: String(part.pid ?? KUBEADM_PID),
      MESSAGE: part.text,
    }),
  ),
  lined('journald, export', (part, i) =>
    [
      `__CURSOR=s=230140b5;i=${i}`,
      `__REALTIME_TIMESTAMP=${(1795228440 + i) * 1e6}`,
      `_HOSTNAME=${HOST}`,
      'PRIORITY=6',
      `MESSAGE=${part.text}`,
      `SYSLOG_IDENTIFIER=${part.program ?? 'cloud-init'}`,
      `_PID=${part.pid ?? KUBEADM_PID}`,
      '',
    ].join('\n'),
  ),
  lined('journald, verbose', (part, i) =>
    [
      `Sat 2026-11-21 ${clock(i)}.123456 UTC [s=230140b5;i=${i};b=5f5bb84b]`,
      `SYSLOG_IDENTIFIER=${part.program ?? 'cloud-init'}`,
      `_PID=${part.pid ?? KUBEADM_PID}`,
      `MESSAGE=${part.text}`,
      `_HOSTNAME=${HOST}`,
    ].join('\n    '),
  ),
  lined('journald in German', (part, i) => `Dez 21 ${clock(i)} ${HOST} ${tag(part)}: ${part.text}`),
  lined('journald in French', (part, i) => `févr. 21 ${clock(i)} ${HOST} ${tag(part)}: ${part.text}`),
  lined('journald in Chinese', (part, i) => `11月 21 ${clock(i)} ${HOST} ${tag(part)}: ${part.text}`),
  lined('journald in Russian', (part, i) => `ноя 21 ${clock(i)} ${HOST} ${tag(part)}: ${part.text}`),
  lined(
    'syslog without a process',
    (part, i) => `Nov 21 ${clock(i)} ${HOST} ${part.program ?? 'kubeadm'}: ${part.text}`,
  ),
  lined(
    'rsyslog, ISO',
    (part, i) => `2026-11-21T${clock(i)}.123456+01:00 ${HOST} ${tag(part)}: ${part.text}`,
  ),
  lined(
    'the serial console',
    (part, i) => `[${String(34 + i).padStart(5)}.123456] ${tag(part)}: ${part.text}`,
  ),
  lined(
    'kubectl logs --prefix',
    (part) => `[pod/${part.program ?? 'bootstrap'}-${HOST}/${part.program ?? 'kubeadm'}] ${part.text}`,
  ),
  lined('docker compose', (part) => `${`${part.program ?? 'worker'}-1`.padEnd(14)} | ${part.text}`),
];

/** Forms in which nobody tells who wrote a line. */
export const ENVELOPES: readonly Form[] = [
  { name: 'as it is', apply: (parts) => `${texts(parts)}\n` },
  lined('docker, json-file', (part) =>
    JSON.stringify({ log: `${bare(part)}\n`, stream: 'stderr', time: '2026-11-21T02:34:29.123456789Z' }),
  ),
  lined('a container log', (part) => `2026-11-21T02:34:29.123456789Z stderr F ${bare(part)}`),
  lined('GitHub Actions', (part, i) => `2026-11-21T${clock(i)}.1234567Z ${bare(part)}`),
  lined('gh run view', (part, i) => `e2e\tRun tests\t2026-11-21T${clock(i)}.1234567Z ${bare(part)}`),
  lined('vagrant', (part) => `    default: ${bare(part)}`),
  lined('packer', (part) => `${/^\[/.test(part.text) ? '    qemu' : '==> qemu'}: ${bare(part)}`),
  lined('terraform', (part) => `null_resource.join (remote-exec): ${bare(part)}`),
  lined('a time in front', (part, i) => `[${clock(i)}] ${bare(part)}`),
  lined('a mail', (part) => `> ${bare(part)}`),
  lined('a mail in a mail', (part) => `> > ${bare(part)}`),
  lined('comments', (part) => `# ${bare(part)}`),
  lined('indented', (part) => `    ${bare(part)}`),
  lined('colours', (part) => `\u001b[0;31m${bare(part)}\u001b[0m`),
  lined("a terminal's line ends", (part) => `${bare(part)}\r`),
  {
    name: 'cloud-init-output.log',
    apply: (parts) =>
      `Cloud-init v. 23.4 running 'modules:final' at Sat, 21 Nov 2026 02:34:11 +0000. Up 21.07 seconds.\n${texts(parts)}\n2026-11-21 02:36:11,123 - cc_scripts_user.py[WARNING]: Failed to run module scripts-user (scripts in /var/lib/cloud/instance/scripts)\n`,
  },
  { name: 'Ansible, one line', apply: (parts) => ansible(texts(parts)) },
  {
    name: 'Ansible, YAML',
    apply: (parts) =>
      `fatal: [n1]: FAILED! => changed=true\n  cmd:\n  - kubeadm\n  msg: non-zero return code\n  rc: 1\n  stderr: |-\n${prefixed('    ', texts(parts))}\n  stderr_lines: <omitted>\n  stdout: ''\n`,
  },
  {
    name: 'Ansible, list',
    apply: (parts) =>
      `fatal: [n1]: FAILED! => changed=true\n  rc: 1\n  stderr_lines:\n${parts.map((part) => `  - '${bare(part).replaceAll("'", "''")}'`).join('\n')}\n`,
  },
];

const prefixed = (prefix: string, text: string): string =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`)
    .join('\n');
const ansible = (stderr: string): string =>
  `fatal: [n1]: FAILED! => ${JSON.stringify({ changed: true, cmd: ['kubeadm', 'join'], rc: 1, stderr, stderr_lines: stderr.split('\n'), stdout: '' })}\n`;

/** Cut at the terminal's edge, or at the last word that fits. */
export function wrapped(text: string, width: number, atWords = false): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const pieces: string[] = [];
      let rest = line;
      while (rest.length > width) {
        const space = atWords ? rest.lastIndexOf(' ', width) : -1;
        const at = space > 0 && rest.slice(0, space).trim() !== '' ? space : width;
        pieces.push(rest.slice(0, at));
        rest = rest.slice(space > 0 && at === space ? at + 1 : at);
      }
      return [...pieces, rest];
    })
    .join('\n');
}

const UPGRADE = `[upgrade/health] FATAL: [preflight] Some fatal errors occurred:
\t[ERROR ControlPlaneNodesReady]: there are NotReady control-planes in the cluster: [n9]
To see the stack trace of this error execute with --v=5 or higher`;

/** Lines of other programs on a machine that is coming up; none of them explains a failure of kubeadm. */
const FOREIGN: readonly Part[] = [
  { program: 'sshd', pid: 901, text: 'error: kex_exchange_identification: Connection closed by remote host' },
  {
    program: 'sshd',
    pid: 902,
    text: 'Failed password for invalid user admin from 198.51.100.7 port 52344 ssh2',
  },
  {
    program: 'dockerd',
    pid: 700,
    text: 'time="2026-11-21T02:35:01Z" level=error msg="open /var/lib/docker/x: no space left on device"',
  },
  {
    program: 'containerd',
    pid: 640,
    text: 'time="2026-11-21T02:35:01Z" level=warning msg="failed to load plugin io.containerd.snapshotter.v1.devmapper" error="devmapper not configured"',
  },
  {
    program: 'containerd',
    pid: 640,
    text: 'time="2026-11-21T02:35:01Z" level=error msg="failed to load cni during init, please check CRI plugin status before setting up network for pods" error="cni config load failed: no network config found in /etc/cni/net.d: cni plugin not initialized: failed to load cni config"',
  },
  {
    program: 'kubelet',
    pid: 650,
    text: 'E1121 02:35:01.000001     650 kubelet.go:2412] "Error getting node" err="node \\"n1\\" not found"',
  },
  {
    program: 'kubelet',
    pid: 650,
    text: 'E1121 02:35:01.000001     650 kubelet_node_status.go:92] "Unable to register node with API server" err="Post \\"https://10.0.0.9:6443/api/v1/nodes\\": context canceled" node="n1"',
  },
  {
    program: 'kubelet',
    pid: 651,
    text: 'E1121 02:35:01.000001     651 run.go:74] "command failed" err="failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: failed to load Kubelet config file /var/lib/kubelet/config.yaml, error failed to read kubelet config file \\"/var/lib/kubelet/config.yaml\\", error: open /var/lib/kubelet/config.yaml: no such file or directory"',
  },
  { program: 'systemd', pid: 1, text: 'kubelet.service: Main process exited, code=exited, status=1/FAILURE' },
  { program: 'systemd', pid: 1, text: "snapd.service: Failed with result 'exit-code'." },
  { program: 'systemd', pid: 1, text: 'Failed to start Disk Manager: read-only file system' },
  { program: 'kernel', pid: 0, text: 'EXT4-fs (sdb1): error: input/output error, dev sdb, sector 2048' },
  { program: 'kernel', pid: 0, text: 'IPv6: ADDRCONF(NETDEV_CHANGE): veth0: link becomes ready' },
  { program: 'backup', pid: 930, text: 'could not write /var/lib/x: disk quota exceeded' },
  {
    program: 'backup',
    pid: 930,
    text: 'error: dial tcp: lookup backup.example.com on 10.0.0.2:53: no such host',
  },
  {
    program: 'etcd',
    pid: 940,
    text: '{"level":"warn","ts":"2026-11-21T02:35:01.000001Z","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"312.1ms","expected-duration":"100ms","error":"etcdserver: leader changed"}',
  },
  {
    program: 'apt',
    pid: 950,
    text: 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)',
  },
  {
    program: 'app',
    pid: 960,
    text: 'x509: certificate has expired or is not yet valid: current time 2026-11-21T02:35:01Z is after 2020-01-01T00:00:00Z',
  },
  { program: 'app', pid: 960, text: 'error: Unauthorized' },
  {
    program: 'app',
    pid: 961,
    text: 'Get "https://10.0.0.77:8443/": dial tcp 10.0.0.77:8443: connect: connection refused',
  },
  { program: 'installer', pid: 965, text: '[init] starting the installation of the agent' },
  { program: 'installer', pid: 965, text: '[certs] the certificate of the proxy cannot be renewed' },
  { program: 'installer', pid: 965, text: '[ERROR Disk]: /dev/sdb is in use' },
  {
    program: 'deploy',
    pid: 966,
    text: 'error execution phase deploy: could not write /srv/app: no space left on device',
  },
  {
    program: 'monitor',
    pid: 967,
    text: 'error execution phase preflight: a Node with name "n2" and status "Ready" already exists in the cluster',
  },
  { program: 'monitor', pid: 967, text: '[preflight] node n3 is not ready to be joined' },
  { program: 'upgrade', pid: 970, text: UPGRADE },
  { program: 'cron', pid: 980, text: '(root) CMD (timed out waiting for the condition)' },
];

/** Other programs' lines between kubeadm's, `share` of a hundred of them behind each; a kubelet that ended thrice explains. */
export function interleaved(text: string, pick: Pick, share: number): Part[] {
  let ends = 0;
  return text.split('\n').flatMap((line): Part[] => {
    const parts: Part[] = [{ text: line }];
    while (pick(100) < share) {
      const other = FOREIGN[pick(FOREIGN.length)];
      if (/^kubelet\.service: Main/.test(other?.text ?? '')) ends += 1;
      if (other !== undefined && (ends < 3 || other.program !== 'systemd'))
        parts.push(...other.text.split('\n').map((text) => ({ ...other, text })));
    }
    return parts;
  });
}
