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
    title: 'kubeadm reads a different file from the one written for it',
    why: 'The written configuration has no effect, and kubeadm fails unless the image contains the file it reads.',
    remedy: 'Pass --config the path used in write_files.',
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
                message: `kubeadm reads ${command.configPath}, but ${paths.join(', ')} is written.`,
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
    title: "A node joins without verifying the cluster's CA",
    why: "Any server that answers at the API server's address gets the token and can make the node join another cluster.",
    remedy:
      'Set caCertHashes (Cluster API fills it in), or set discovery.file to a kubeconfig that contains the CA.',
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
        const message = `${place.path}, line ${line}: the join does not verify the cluster's CA.`;
        return [{ message, where: place.where }];
      }),
      ...inCalls(
        seen,
        /\s--discovery-token-unsafe-skip-ca-verification(?:=true)?\s/,
        "the join does not verify the cluster's CA.",
      ),
    ],
  },
  {
    id: 'certificate-key',
    severity: 'warning',
    title: "The cluster's private keys are distributed through the cluster",
    why: 'With a certificate key, the CA keys are in a Secret in kube-system for two hours, and anyone with the certificate key and a bootstrap token can read them.',
    remedy: 'Leave it out: Cluster API writes the certificates to each control plane itself.',
    example: {
      wrong: file(
        `apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\ncertificateKey: ${'0'.repeat(64)}`,
      ),
      right: file('apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration'),
    },
    find: (seen) => [
      ...inConfigs(seen, /^[ \t]*certificateKey:\s*\S/m, 'a certificate key is set.'),
      ...inCalls(
        seen,
        /\s--(?:certificate-key|upload-certs)\b/,
        'certificates are distributed through the cluster.',
      ),
    ],
  },
  {
    id: 'old-kubeadm-api',
    severity: 'error',
    title: 'The kubeadm configuration uses a removed API version',
    why: 'kubeadm 1.27 and later rejects v1beta2 and older.',
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
            'this API version was removed.',
          ),
  },
  {
    id: 'deprecated-kubeadm-api',
    severity: 'note',
    title: 'The kubeadm configuration uses a deprecated API version',
    why: 'v1beta3 is deprecated since Kubernetes 1.31.',
    remedy: 'Use v1beta4 if every machine runs Kubernetes 1.31 or later.',
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
    title: 'A bootstrap token never expires',
    why: 'Anyone who reads this user data a year from now can still join a machine to the cluster.',
    remedy: 'Set a time to live (ttl: 15m); Cluster API renews tokens for as long as they are needed.',
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
    title: 'All kubeadm preflight checks are ignored',
    why: 'A machine that cannot become a node fails later, with a less specific error.',
    remedy: 'Name only the checks that are expected to fail, such as Swap.',
    example: {
      wrong: 'runcmd:\n- kubeadm join --config /a --ignore-preflight-errors=all\n',
      right: 'runcmd:\n- kubeadm join --config /a --ignore-preflight-errors=Swap\n',
    },
    find: (seen) => [
      ...inConfigs(
        seen,
        /^[ \t]*ignorePreflightErrors:[ \t]*(?:\[\s*["']?all\b|\n\s*-\s*["']?all\b)/m,
        'all kubeadm preflight checks are ignored.',
      ),
      ...inCalls(seen, /--ignore-preflight-errors[= ]all\s/, 'all kubeadm preflight checks are ignored.'),
    ],
  },
];
