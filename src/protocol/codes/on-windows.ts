import type { CodeEntry } from './entry.ts';

/**
 * What to do, in the words of Windows: the table has those of Linux. Each is looked for in this order, so that what two have in
 * common stands behind both.
 */
const WORDS: readonly (readonly [linux: RegExp, windows: string])[] = [
  [/Look at systemctl status (\S+) and journalctl -u \S+;/g, 'Look at sc.exe query $1 and at its log;'],
  [/journalctl -u kubelet/g, "the kubelet's log (image-builder: C:\\var\\log\\kubelet)"],
  [/\(journalctl -u containerd\)/g, '(containerd --log-file of its service says where)'],
  [/\(journalctl -u slipway, [^)]*\)/g, "(the event log, cloudbase-init's log)"],
  [/\(out of memory: journalctl -k\)/g, '(the event log, System)'],
  [/ was stopped \(kill -CONT\) or/g, ''],
  [/ \(systemctl (?:re)?start slipway\)/g, ' (a reboot, or slipway bootstrap)'],
  [/systemctl start slipway/g, 'a reboot, or slipway bootstrap'],
  [/systemctl restart kubelet/g, 'Restart-Service kubelet'],
  [/ and its systemd unit with the kubeadm drop-in/g, ' and its service (sc.exe qc kubelet)'],
  [/the systemd drop-in/g, 'the command line of the service (sc.exe qc kubelet)'],
  [
    /runc, the CNI plugins, seccomp and AppArmor/g,
    'its shim (containerd-shim-runhcs-v1) and the CNI plugins',
  ],
  [/ the out-of-memory killer, a shutdown/g, ' a shutdown'],
  [/the out-of-memory killer in the kernel log/g, 'what ended it in the event log (System)'],
  [/the kernel log/g, 'the event log (System)'],
  [/dmesg(?:, smartctl)?(?! \|)/g, 'the event log, System'],
  [/ss -ltnp/g, 'netstat -abno'],
  [/ip address, ip route/g, 'ipconfig, route print'],
  [/ip route get 169\.254\.169\.254/g, 'route print'],
  [/ip -br address/g, 'ipconfig'],
  [/resolvectl status/g, 'ipconfig /all'],
  [
    /Run timedatectl: it shows System clock synchronized: yes/g,
    'Run w32tm /query /status: it shows a source other than Local CMOS Clock',
  ],
  [/Run ls \/run\/cluster-api\/(\S+):/g, 'Run dir C:\\run\\cluster-api\\$1:'],
  [/timedatectl/g, 'w32tm /query /status'],
  [/df -h for space, df -i for inodes/g, 'Get-Volume'],
  [/ \(findmnt -T \/run\/cluster-api; df -h \/run\)/g, ' (C:\\run\\cluster-api)'],
  [/Free space in \/run/g, 'Free space on the drive'],
  [
    /\(a volume labelled cidata, or files in \/var\/lib\/cloud\/seed\/nocloud\)/g,
    '(a volume with the files user-data and meta-data)',
  ],
  [
    /\/etc\/hosts \(manage_etc_hosts in user data\), or install nss-myhostname/g,
    'C:\\Windows\\System32\\drivers\\etc\\hosts',
  ],
  [/; the kubelet passes \/etc\/resolv\.conf to pods/g, ''],
  [/only root ([^(]*) \(sudo [^)]*\)/g, 'only an administrator $1'],
  [
    /look for what SELinux or AppArmor has refused \([^)]*\), and correct the labels \([^)]*\), the owner or the mode/g,
    'correct the owner or the access list',
  ],
  [/\bas root\b/g, 'as an administrator'],
  [/\/etc\/containerd\/config\.toml/g, 'C:\\Program Files\\containerd\\config.toml'],
  [/\/etc\/slipway\/(\S+?)(?=[,.\s]|$)/g, 'C:\\ProgramData\\slipway\\etc\\$1'],
  [/\/var\/lib\/slipway/g, 'C:\\ProgramData\\slipway'],
  [/\/run\/slipway\/outcome\.json/g, 'C:\\run\\slipway\\outcome.json'],
  [/\/(opt\/cni\/bin|etc\/cni\/net\.d)/g, 'C:/$1'],
];

export const onWindows = (text: string): string =>
  WORDS.reduce((told, [linux, windows]) => told.replace(linux, windows), text);

/** Words that a person is told, in those of the system that this runs on. */
export const inPlatformWords = (text: string): string =>
  process.platform === 'win32' ? onWindows(text) : text;

export function tableOnWindows<T extends Record<string, CodeEntry>>(table: T): T {
  const rows = Object.entries(table).map(([code, row]) => [
    code,
    {
      ...row,
      meaning: onWindows(row.meaning),
      impact: onWindows(row.impact),
      fix: onWindows(row.fix),
      check: onWindows(row.check),
    },
  ]);
  return Object.fromEntries(rows) as T;
}
