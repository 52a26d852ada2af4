/** Why a static pod of the control plane ends, from its own last lines. Texts: etcd 3.4 to 3.6, Kubernetes 1.20 to 1.36. */
import type { Diagnosis } from '../patterns/pattern.ts';
import { lastKnown, plain, portFacts, type Rule, reason, rule } from './rule.ts';

/** runc's words for it, before and from 1.1 on. */
export const EXEC_FORMAT =
  /^(?:standard_init_linux\.go:\d+: exec user process caused:? "?|exec \/\S{1,400}: )exec format error/;
export const OTHER_PROCESSOR =
  'Push an image for this architecture as well (a manifest list), or set imageRepository to a registry that has one. Then remove the present image (crictl rmi), because it is not pulled again.';

/** What etcd and the components of Kubernetes have in common. */
const common = (name: string): Rule[] => [
  rule(
    /unknown (?:shorthand )?flag: (?:'.' in )?(-{1,2}[\w.-]+)|flag provided but not defined: (-{1,2}[\w.-]+)/,
    ([, a, b]) => ({
      code: 'ControlPlaneBadFlag',
      cause: `${name} does not know the flag ${a ?? b}.`,
    }),
  ),
  rule(
    /invalid (?:argument|value) "([^"]*)" for (?:flag )?"?(?:\S+, )?(-{1,2}[\w.-]+)"?(?: flag)?: (.*)/,
    ([, value, flag, why]) => ({
      code: 'ControlPlaneBadFlag',
      cause: `${name} does not accept "${value}" for ${flag}: ${reason(why)}.`,
    }),
  ),
  rule(/listen tcp\d? (\S+?): bind: address already in use/, ([, address]) => ({
    code: 'PortInUse',
    cause: `${name} cannot listen at ${address}: the port is in use.`,
    ...portFacts(address),
  })),
  rule(/listen tcp\d? (\S+?): bind: cannot assign requested address/, ([, address]) => ({
    code: 'ControlPlaneConfigInvalid',
    cause: `${name} cannot listen at ${address}: this machine does not have that address.`,
    remedy:
      'Correct localAPIEndpoint.advertiseAddress, or the listen addresses in extraArgs. If the machine had that address before, restore it (a DHCP reservation).',
  })),
  rule(EXEC_FORMAT, () => ({
    code: 'ImageNotFound',
    cause: `The image of ${name} is for a different architecture than this machine (exec format error).`,
    remedy: OTHER_PROCESSOR,
  })),
  rule(/no space left on device/, () => ({
    code: 'DiskFull',
    cause: `${name} exits because the disk is full.`,
  })),
  rule(/read-only file system/, () => ({
    code: 'FileSystemReadOnly',
    cause: `${name} exits because the file system is read-only.`,
  })),
  rule(/(?:open|stat) (\/\S+?): permission denied/, ([, path]) => ({
    code: 'FileAccessDenied',
    cause: `${name} exits because it cannot read ${path}: permission denied.`,
    remedy:
      'Check for SELinux or AppArmor denials (ausearch -m avc -ts recent, journalctl -k) and correct the labels (restorecon -R). Then check the owner and mode of the file.',
  })),
  rule(/open (\/etc\/kubernetes\/pki\/\S+?): no such file or directory/, ([, path]) => ({
    code: 'CertificatesMissing',
    cause: `${name} exits because it cannot read ${path}: no such file or directory.`,
  })),
  rule(
    /tls: (private key does not match public key|failed to (?:find|parse)[^"]*)|x509: (malformed[^"]*|failed to parse[^"]*)/,
    ([, a, b]) => ({
      code: 'CertificateInvalid',
      cause: `${name} cannot use its certificate: ${reason(a ?? b)}.`,
    }),
  ),
];

/** Damaged data have the table's remedy. */
const DATA: [why: RegExp, remedy: string][] = [
  [
    /cannot access data directory/,
    'Check which file system /var/lib/etcd is on, whether it is mounted, and its owner and mode (root, 0700). Do not remove any of the data.',
  ],
  [
    /already been bootstrapped/,
    'The cluster knows this member, but its data is missing: mount the disk with the data. If the data is lost and all other members are healthy, run etcdctl member remove for this member alone on another control plane, and join again.',
  ],
  [
    /permanently removed/,
    'The cluster has removed this member and no longer needs its data: replace the machine, or run kubeadm reset -f and join again.',
  ],
  [
    /cluster ID mismatch/,
    'Find out which of the two belongs to another cluster: the peers in --initial-cluster, or the data on this machine. Remove the data (kubeadm reset -f) only if an earlier cluster left it behind.',
  ],
];

function remedyForData(why: string | undefined): { remedy?: string } {
  const found = DATA.find(([words]) => words.test(why ?? ''));
  return found === undefined ? {} : { remedy: found[1] };
}

const ETCD: Rule[] = [
  ...common('etcd'),
  rule(
    /(cluster ID mismatch|member \w+ has already been bootstrapped|the member has been permanently removed from the cluster|crc mismatch|failed to find database snapshot[^"]*|recovering backend from snapshot error: [^"]*|invalid checksum|walpb?: [^"]*|snap: [^"]*corrupt[^"]*|cannot access data directory[^"]*|tocommit\(\d+\) is out of range[^"]*)/,
    ([, why]) => ({
      code: 'EtcdDataUnusable',
      cause: `etcd exits because of its data directory: ${reason(why)}.`,
      ...remedyForData(why),
    }),
  ),
  rule(
    /(error validating peerURLs[^"]*|member count is unequal|couldn't find local name[^"]*|has different advertised URLs[^"]*)/,
    ([, why]) => ({
      code: 'EtcdMemberNotAdded',
      cause: `etcd exits because its settings do not match the cluster that it joins: ${reason(why)}.`,
    }),
  ),
  // Up to 3.3 in one sentence, from 3.4 on as a field.
  rule(
    /error verifying flags, (.*)|"failed to verify flags","error":"(.*?)"\}?$|^(--[\w-]+\[\w+\] should be at least as .*)/,
    ([, a, b, c]) => ({
      code: 'ControlPlaneBadFlag',
      cause: `etcd does not accept its flags: ${reason(a ?? b ?? c)}.`,
    }),
  ),
  rule(/invalid downgrade; server version is lower|failed to detect\/upgrade schema/, () => ({
    code: 'EtcdDataUnusable',
    cause: 'etcd exits because its data directory was written by a newer etcd.',
    remedy:
      'Use an etcd at least as new as that one. Replace the machine only if the cluster has other healthy control planes.',
  })),
  rule(
    /(freepages: failed to get all reachable pages[^"]*|page \d+ already freed|invalid page type[^"]*)/,
    ([, why]) => ({
      code: 'EtcdDataUnusable',
      cause: `etcd exits because its database is corrupt: ${reason(why)}.`,
    }),
  ),
  rule(/cannot fetch cluster info from peer urls/, () => ({
    code: 'EtcdUnhealthy',
    cause: 'etcd exits because no member of the cluster that it joins answers.',
  })),
  rule(/"alarm raised","alarm":"NOSPACE"|etcdserver: no space\b/, () => ({
    code: 'EtcdUnhealthy',
    cause: 'The etcd database has reached its quota (database space exceeded).',
    remedy:
      'Compact and defragment etcd, raise quota-backend-bytes, then disarm the alarm (etcdctl alarm disarm).',
  })),
];

const unreachable: Rule['diagnose'] = ([, address, why]) => ({
  code: 'EtcdUnhealthy',
  cause: `kube-apiserver cannot reach etcd at ${address}: ${why}.`,
  ...(/^(?:127\.|localhost:|\[::1\])/.test(address ?? '')
    ? {
        remedy:
          'Check etcd on this machine: crictl ps -a, crictl logs of the etcd container, and journalctl -u kubelet.',
      }
    : {}),
});

const componentRules = (name: string): Rule[] => [
  ...common(name),
  rule(/(?:unrecognized feature gate: |cannot set feature gate )([\w-]+)/, ([, gate]) => ({
    code: 'ControlPlaneBadFlag',
    cause: `${name} does not know or allow the feature gate ${gate}.`,
  })),
  rule(
    /(?:admission-plugins? plugin|admission-control plugin|admission plugin) "(\w+)" is unknown/,
    ([, plugin]) => ({
      code: 'ControlPlaneBadFlag',
      cause: `${name} does not know the admission plugin ${plugin}.`,
    }),
  ),
  rule(/failed to initialize admission: ([^\n]*)/, ([, why]) => ({
    code: 'ControlPlaneBadFlag',
    cause: `${name} does not accept its admission configuration: ${reason(why?.replace(/\\?"$/, ''))}.`,
    remedy:
      'Correct the file that --admission-control-config-file names, or enable-admission-plugins in extraArgs of the component.',
  })),
  rule(
    /((?<!\S)\S+ is a required flag|(?<!-)--\S+ (?:must be|cannot be|requires|is required|should be)[^"\]]*)/,
    ([, why]) => ({
      code: 'ControlPlaneBadFlag',
      cause: `${name} does not accept its flags: ${reason(why)}.`,
    }),
  ),
  rule(/loading audit policy file: (.{1,1000}?): from file (\/[^\s"]{1,400})/, ([, why, path]) => ({
    code: 'ControlPlaneConfigInvalid',
    cause: `${name} cannot use its audit policy ${path}: ${reason(why)}.`,
    remedy: 'Correct the file that --audit-policy-file names.',
  })),
  rule(/error while parsing file: ([^"]+)/, ([, why]) => ({
    code: 'ControlPlaneConfigInvalid',
    cause: `${name} cannot use its encryption provider configuration: ${reason(why)}.`,
    remedy: 'Correct the file that --encryption-provider-config names.',
  })),
  rule(/(?:open|stat) (\/\S+?): no such file or directory/, ([, path]) => ({
    code: 'ControlPlaneConfigInvalid',
    cause: `${name} cannot read ${path}: no such file or directory.`,
    remedy: 'Write the file from user data and mount it into the static pod (extraVolumes of the component).',
  })),
  ...(name === 'kube-apiserver'
    ? [
        rule(
          /Addr: "?(\S+?:2379)"?.*authentication handshake failed: .*(x509: (?!certificate has expired)[^"]*)/,
          ([, address, why]) => ({
            code: 'CertificateInvalid' as const,
            cause: `kube-apiserver does not trust etcd at ${address}: ${reason(why)}.`,
            remedy: 'Give kube-apiserver the etcd CA (etcd/ca.crt) that signed the etcd certificate.',
          }),
        ),
        rule(
          /(?:dial tcp |Addr: "?)(\S+?:2379)"?.*?(connection refused|i\/o timeout|no route to host|deadline exceeded|bad certificate)/,
          unreachable,
        ),
        // It speaks gRPC over TCP to nobody else, but for a collector of traces and konnectivity.
        rule(
          /createTransport failed to connect to \{Addr: "?([^\s",/]{1,80}:(?!(?:4317|813\d)\b)\d{1,5})".{0,300}?(connection refused|i\/o timeout|no route to host|deadline exceeded|bad certificate)/,
          unreachable,
        ),
        rule(/(?:command failed" err="|Error: |error: )context deadline exceeded/, () => ({
          code: 'EtcdUnhealthy' as const,
          cause: 'kube-apiserver exits because etcd does not answer.',
          remedy:
            'Check the etcd named in its manifest (--etcd-servers). If it runs on this machine, use crictl ps -a and crictl logs.',
        })),
      ]
    : []),
];

const LAST_WORDS =
  /"command failed" err="(.*)"|^F\d{4} \S+ +\d+ [\w.-]+:\d+\] (.*)|^(?:panic|Error|error|fatal error): (.*)|"level":"(?:fatal|panic)".*?"msg":"([^"]*)"(?:.*?"error":"([^"]*)")?|^C \| \w+: (.*)/;

/**
 * @param name Container name: `etcd`, `kube-apiserver` ...
 * @returns undefined where its lines do not tell why it ended.
 */
export function readComponentLog(name: string, lines: readonly string[]): Diagnosis | undefined {
  const known = lastKnown(name === 'etcd' ? ETCD : componentRules(name), lines);
  if (known !== undefined) return known;
  for (const line of [...lines].reverse()) {
    const match = LAST_WORDS.exec(plain(line).trim());
    if (match === null) continue;
    const words = match.slice(1).filter((part) => part !== undefined && part !== '');
    return {
      code: name === 'etcd' ? 'EtcdCrashing' : 'ControlPlaneCrashing',
      cause: `${name} exited with: ${reason(words.join(': '))}.`,
      evidence: line.trim().slice(0, 400),
    };
  }
  return undefined;
}
