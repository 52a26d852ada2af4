import { placeInFile } from '../../document/position.ts';
import type { FileText, LintInput } from '../rule/lint-input.ts';
import type { Rule, RuleMatch } from '../rule/rule.ts';

const CONFIG = /^apiVersion:\s*["']?kubeadm\.k8s\.io\//m;

/** Files with kubeadm's configuration, cut into their documents. */
function configs({ files }: LintInput): { file: FileText; text: string; line: number }[] {
  return files
    .filter(({ text }) => CONFIG.test(text))
    .flatMap((file) => {
      let line = 1;
      return file.text.split(/^---[^\n]*\n/m).map((text) => {
        const found = { file, text, line };
        line += text.split('\n').length;
        return found;
      });
    });
}

function inConfigs(seen: LintInput, pattern: RegExp, words: string): RuleMatch[] {
  return configs(seen).flatMap(({ file, text, line }) => {
    const at = text.search(pattern);
    if (at === -1) return [];
    const place = line + text.slice(0, at).split('\n').length - 1;
    return [{ message: `${file.path}, line ${place}: ${words}`, where: placeInFile(file, place) }];
  });
}

function inCalls({ document }: LintInput, pattern: RegExp, words: string): RuleMatch[] {
  return document.commands.flatMap((command) =>
    command.kind === 'kubeadm' && pattern.test(` ${command.args.reveal().join(' ')} `)
      ? [{ message: words, where: command.where }]
      : [],
  );
}

function file(text: string): string {
  const lines = text.split('\n').map((line) => `    ${line}\n`);
  return `write_files:\n- path: /run/kubeadm.yaml\n  permissions: '0600'\n  content: |\n${lines.join('')}`;
}

const JOIN = 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\ndiscovery:\n  bootstrapToken:';
const HASHES = `    caCertHashes: [sha256:${'0'.repeat(64)}]`;

export const KUBEADM_RULES: readonly Rule[] = [
  {
    id: 'another-kubeadm-config',
    severity: 'warning',
    title: 'kubeadm reads another file than the one that is written for it',
    why: 'Where the image does not have that file, kubeadm fails; the configuration that was written has no effect.',
    remedy: 'Name with --config the path that write_files has.',
    example: {
      wrong: `${file('apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration')}runcmd:\n- kubeadm join --config /run/join.yaml\n`,
      right: `${file('apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration')}runcmd:\n- kubeadm join --config /run/kubeadm.yaml\n`,
    },
    find: (seen) => {
      const paths = [...new Set(configs(seen).map(({ file: { path } }) => path))];
      const isWritten = (path: string) => seen.document.files.some((each) => each.path === path);
      return seen.document.commands.flatMap((command) =>
        command.kind === 'kubeadm' &&
        command.configPath !== undefined &&
        paths.length > 0 &&
        !isWritten(command.configPath)
          ? [
              {
                message: `kubeadm reads ${command.configPath}, and ${paths.join(', ')} is written.`,
                where: command.where,
              },
            ]
          : [],
      );
    },
  },
  {
    id: 'join-without-ca-hash',
    severity: 'error',
    title: "A node joins without knowing the cluster's authority",
    why: 'Whoever answers at the address of the API server gets the token, and can hand the node a cluster of his own.',
    remedy:
      'Give caCertHashes (Cluster API fills it in), or discovery.file with a kubeconfig that holds the CA.',
    example: {
      wrong: file(`${JOIN}\n    unsafeSkipCAVerification: true`),
      right: file(`${JOIN}\n${HASHES}`),
    },
    find: (seen) => [
      ...configs(seen).flatMap((config) => {
        const { text, file: place, line } = config;
        const isJoin = /^kind:\s*["']?JoinConfiguration/m.test(text) && /^[ \t]+bootstrapToken:/m.test(text);
        const hashes = /^[ \t]+caCertHashes:[ \t]*(?:\[\s*["']?sha256|\n\s*-\s*["']?\S)/m.test(text);
        const unsafe = /^[ \t]+unsafeSkipCAVerification:\s*true/m.test(text);
        if (!isJoin || (hashes && !unsafe)) return [];
        const message = `${place.path}, line ${line}: the cluster's CA is not verified at joining.`;
        return [{ message, where: place.where }];
      }),
      ...inCalls(
        seen,
        /\s--discovery-token-unsafe-skip-ca-verification(?:=true)?\s/,
        "the cluster's CA is not verified at joining.",
      ),
    ],
  },
  {
    id: 'certificate-key',
    severity: 'warning',
    title: "The cluster's keys are handed over through the cluster",
    why: 'With a certificate key, the keys of the authorities lie in a secret of kube-system for two hours, and whoever has the key and a token gets them.',
    remedy: 'Leave it out: Cluster API writes the certificates to each control plane itself.',
    example: {
      wrong: file(
        `apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\ncertificateKey: ${'0'.repeat(64)}`,
      ),
      right: file('apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration'),
    },
    find: (seen) => [
      ...inConfigs(seen, /^[ \t]*certificateKey:\s*\S/m, 'a certificate key is given.'),
      ...inCalls(
        seen,
        /\s--(?:certificate-key|upload-certs)\b/,
        'certificates are handed over through the cluster.',
      ),
    ],
  },
  {
    id: 'old-kubeadm-api',
    severity: 'error',
    title: "kubeadm's configuration has a version that kubeadm reads no more",
    why: 'kubeadm of Kubernetes 1.27 and later refuses v1beta2 and everything older.',
    remedy: 'Use v1beta4 (Kubernetes 1.31 or later) or v1beta3; kubeadm config migrate converts the file.',
    example: {
      wrong: file('apiVersion: kubeadm.k8s.io/v1beta2\nkind: InitConfiguration'),
      right: file('apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration'),
    },
    // Up to 1.26 it is the right one.
    find: (seen) =>
      configs(seen).some(({ text }) => /^kubernetesVersion:\s*["']?v?1\.(?:1\d|2[0-6])\b/m.test(text))
        ? []
        : inConfigs(
            seen,
            /^apiVersion:\s*["']?kubeadm\.k8s\.io\/v1(?:alpha\d|beta[12])\b/m,
            'this version was removed.',
          ),
  },
  {
    id: 'deprecated-kubeadm-api',
    severity: 'note',
    title: "kubeadm's configuration has a version that will be removed",
    why: 'v1beta3 is deprecated since Kubernetes 1.31.',
    remedy: 'Use v1beta4 where every machine has Kubernetes 1.31 or later.',
    example: {
      wrong: file('apiVersion: kubeadm.k8s.io/v1beta3\nkind: InitConfiguration'),
      right: file('apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration'),
    },
    find: (seen) =>
      inConfigs(seen, /^apiVersion:\s*["']?kubeadm\.k8s\.io\/v1beta3\b/m, 'v1beta3 is deprecated.'),
  },
  {
    id: 'token-without-end',
    severity: 'warning',
    title: 'A bootstrap token never ends',
    why: 'Whoever reads this user data in a year can still join a machine to the cluster.',
    remedy: 'Give a time to live (ttl: 15m); Cluster API renews tokens as long as they are needed.',
    example: {
      wrong: file('apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nbootstrapTokens:\n- ttl: 0s'),
      right: file(
        'apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\nbootstrapTokens:\n- ttl: 15m',
      ),
    },
    find: (seen) => inConfigs(seen, /^[ \t-]*ttl:\s*["']?0(?:s|m|h)?["']?\s*$/m, 'a token without end.'),
  },
  {
    id: 'preflight-ignored',
    severity: 'warning',
    title: "All of kubeadm's checks are ignored",
    why: 'A machine that cannot become a node fails later, and less plainly.',
    remedy: 'Name the checks that are known to fail there, such as Swap.',
    example: {
      wrong: 'runcmd:\n- kubeadm join --config /a --ignore-preflight-errors=all\n',
      right: 'runcmd:\n- kubeadm join --config /a --ignore-preflight-errors=Swap\n',
    },
    find: (seen) => [
      ...inConfigs(
        seen,
        /^[ \t]*ignorePreflightErrors:[ \t]*(?:\[\s*["']?all\b|\n\s*-\s*["']?all\b)/m,
        "all of kubeadm's checks are ignored.",
      ),
      ...inCalls(seen, /--ignore-preflight-errors[= ]all\s/, "all of kubeadm's checks are ignored."),
    ],
  },
];
