/** Tokens that may not authenticate, RBAC, and the certificates that control planes share. */
import { inError, type Pattern, shorten } from './pattern.ts';

/** What a control plane does with admin.conf and not with the token. */
const AS_ADMIN =
  /^(?:upload-(?:config|certs)|mark-control-plane|bootstrap-token|addon|control-plane-join|etcd-join|check-etcd)\b/;

const rejected: Pattern = inError(
  /\bUnauthorized\b|You must be logged in to the server|the server has asked for the client to provide credentials/,
  (_, { output }) =>
    AS_ADMIN.test(output.phase ?? '')
      ? {
          code: 'CredentialsRejected',
          facts: { saysWhy: true },
          cause:
            'The API server does not accept the client certificate in admin.conf (Unauthorized). This phase does not use a bootstrap token.',
          remedy:
            'Check that the API server at the control plane endpoint uses the same CA as this machine (/etc/kubernetes/pki/ca.crt), and that the certificate in /etc/kubernetes/admin.conf has not expired.',
        }
      : {
          code: 'CredentialsRejected',
          cause:
            "The API server does not accept this machine's credentials (Unauthorized): the bootstrap token may not authenticate, or it has expired.",
        },
);

const forbidden: Pattern = inError(
  /(?<!\w)(\w[\w.]*) (?:"([^"\n]{0,300})" )?is forbidden: User "([^"]*)" cannot (\w+) resource "([^"]*)"(?: in API group "[^"]*")?(?: in the namespace "([^"]*)")?/,
  (match) => {
    const [, , name, user, verb, resource, namespace] = match;
    const isOwnCertificate = user?.startsWith('system:node:') === true;
    const object = name === undefined || name === '' ? resource : `${resource} "${name}"`;
    return {
      code: 'PermissionDenied',
      cause: `${user} may not ${verb} ${object}${namespace === undefined ? '' : ` in ${namespace}`}.`,
      // The right to read them comes with them.
      ...(name === 'kubeadm-certs'
        ? {
            remedy:
              'Upload them with kubeadm init phase upload-certs --upload-certs, which lets joining machines read them, and join with the key it prints.',
          }
        : {}),
      ...(user?.startsWith('system:bootstrap:') && name !== 'kubeadm-certs'
        ? {
            remedy:
              'Check that the bootstrap token has the group system:bootstrappers:kubeadm:default-node-token (auth-extra-groups of its Secret), and restore the RBAC rules with kubeadm init phase bootstrap-token and upload-config.',
          }
        : {}),
      // Up to 1.28 it has every right without any binding.
      ...(user === 'kubernetes-admin'
        ? {
            remedy:
              'Bind the group in admin.conf: kubectl --kubeconfig /etc/kubernetes/super-admin.conf create clusterrolebinding kubeadm:cluster-admins --clusterrole=cluster-admin --group=kubeadm:cluster-admins (super-admin.conf is on the control plane that ran kubeadm init).',
          }
        : {}),
      ...(isOwnCertificate
        ? {
            remedy:
              "The request used the kubelet's certificate, not the token: check that the API server has the authorization mode Node enabled, and that the certificate has this node's name.",
          }
        : {}),
    };
  },
);

const admission: Pattern = inError(
  /is forbidden: ([^\n]+)|admission webhook "([^"]+)" denied the request: ([^\n]+)/,
  (match) => ({
    code: 'PermissionDenied',
    cause: `The API server forbids a request: ${shorten(match[2] === undefined ? (match[1] ?? '') : `${match[2]}: ${match[3]}`, 200)}.`,
    remedy: 'Allow this request in the webhook, policy or admission plugin named; no permission is missing.',
  }),
);

const certificateKey: Pattern = inError(
  /error decoding secret data with provided key[^\n]*|error decoding certificate key[^\n]*|cipher: message authentication failed/,
  () => ({ code: 'CertificateKeyInvalid' }),
);

const certificateSecret: Pattern = inError(
  /secret "kubeadm-certs" was not found|secrets "kubeadm-certs" not found|the Secret does not include the required certificate or key - name: ([^,]+)/i,
  (match) => ({
    code: 'CertificateSecretMissing',
    ...(match[1] === undefined ? {} : { cause: `The Secret kubeadm-certs does not contain ${match[1]}.` }),
  }),
);

/** One file, or a list: `[failure loading certificate for CA: ..., failure loading key for service account: ...]`. */
const missing: Pattern = inError(
  /couldn't load the (?:certificate|key|private key|public key) file (\/\S+?):? [^\n]*?(?:no such file or directory|does not exist)|failure loading (?:certificate|key) for [\w ]+?: [^\n]*?(\/\S+?):? [^\n]*?(?:no such file or directory|does not exist)/,
  (match, { output }) => {
    const files = [...output.error.matchAll(/open (\/[^:\s]+): no such file or directory/g)].map(
      (found) => found[1],
    );
    return {
      code: 'CertificatesMissing',
      cause: `Certificates or keys shared by the control planes are missing: ${shorten([...new Set(files.length > 0 ? files : [match[1] ?? match[2]])].join(', '), 240)}.`,
    };
  },
);

/** Certificates that user data or an earlier attempt left, and that do not fit the configuration. */
const unfit: Pattern = inError(
  /(?:failed to write or validate certificate "([^"]+)"|certificate ([\w/-]+) is invalid(?=: x509: )|failure loading ([\w/-]+) (?:CA )?certificate|failed to (?:write|load) (?:or validate )?([\w/-]+) CA): ([^\n]*)/,
  (match) => {
    const name = match.slice(1, 5).find((one) => one !== undefined);
    const file = /open (\/\S+?): no such file or directory/.exec(match[5] ?? '')?.[1];
    if (file !== undefined)
      return {
        code: 'CertificatesMissing',
        cause: `Only one of the certificate ${name} and its key exists; this file is missing: ${file}.`,
        remedy: /^(?:\S*-)?ca$|\/ca$/.test(name ?? '')
          ? 'Write both from user data. Move the existing file away only for a new cluster: kubeadm then creates another CA, which machines of an existing cluster do not trust.'
          : 'Write both from user data, or remove the existing file so that kubeadm creates both.',
      };
    return {
      code: 'CertificateInvalid',
      cause: `The certificate ${name} is not suitable: ${shorten((match[5] ?? '').replace(/^certificate \S+ is invalid: /, ''), 220)}.`,
    };
  },
);

const foreign: Pattern = inError(
  /certificate (\S+) not signed by CA certificate (\S+?): ([^\n]*)/,
  (match) => ({
    code: 'CertificateInvalid',
    cause: `The certificate ${match[1]} on this machine is not signed by CA certificate ${match[2]}, or is no longer valid: ${shorten(match[3] ?? '', 160)}.`,
    remedy:
      'Remove the certificates of an earlier cluster from /etc/kubernetes/pki, or write matching ones from user data.',
  }),
);

const notYetValid: Pattern = inError(
  /failure loading (\S+) (?:CA )?certificate: [^\n]*the certificate is not valid yet/,
  (match) => ({
    code: 'ClockWrong',
    cause: `The certificate ${match[1]} on this machine is not yet valid by this machine's clock.`,
  }),
);

/** What each of them lacks, by the command that looks for it. */
const absent: Pattern = inError(
  /couldn't load (\S+) certificate authority from (\S+)|the CA files do not exist, please run|open (\/etc\/kubernetes\/pki\/[^:\s]+): no such file or directory/,
  (match) => ({
    code: 'CertificatesMissing',
    cause:
      match[3] !== undefined
        ? `A certificate or key is missing: ${match[3]}.`
        : match[1] === undefined
          ? "The cluster CA's certificate or key is missing."
          : `The certificate or key of the CA ${match[1]} is missing in ${match[2]}.`,
  }),
);

/** Those that kubeadm makes itself: a phase was left out, or called before the one that writes them. */
const kubeconfigMissing: Pattern = inError(
  /(?:kubeconfig|Error loading \S+|could not load "\S+"|file does not exists or it is not valid): (?:stat|open) (\/[^:\s]+\.conf): no such file or directory|File (\/\S+\.conf) does not exists/,
  (match) => ({
    code: 'CertificatesMissing',
    cause: `The kubeconfig ${match[1] ?? match[2]} does not exist.`,
    remedy: 'Run the phase that writes it (kubeadm init phase kubeconfig), or the full kubeadm init or join.',
  }),
);

/** That one file stands in the way; a reset would take the whole node with it. */
const MOVE_KUBECONFIG =
  'If the control plane endpoint and the CA of this machine are right, move the file away: kubeadm writes it again. Build the image without it.';

/** From 1.34 on it looks into what is there more closely. */
const foreignKubeconfig: Pattern = inError(
  /a kubeconfig file "([^"]+)" exists but (does not contain a trusted CA)|failed to load kubeconfig file (\S+) that already exists on disk: ([^\n]*)|failed to find [\w ]*CurrentContext[\w ]* of the kubeconfig file (\S+)|the kubeconfig file "([^"]+)" (contains an invalid CA cert)/,
  (match) => {
    const [, trusted, why, broken, reason, lost, invalidCa, ca] = match;
    const said = why ?? ca ?? (reason === undefined ? 'has no current context' : shorten(reason, 160));
    return {
      code: 'LeftoversFound',
      cause: `${trusted ?? broken ?? lost ?? invalidCa} already exists and cannot be used: ${said}.`,
      remedy: MOVE_KUBECONFIG,
    };
  },
);

const staleKubeconfig: Pattern = inError(
  /a kubeconfig file "([^"]+)" exists already but has got the wrong ([^\n:]*)/,
  (match) => ({
    code: 'LeftoversFound',
    cause: `${match[1]} already exists, with the wrong ${match[2]?.trim()}.`,
    remedy: MOVE_KUBECONFIG,
  }),
);

const invalid: Pattern = inError(
  /failure loading (?:certificate|key) for [^\n]*|(?<![^\n:])[^\n:]*private key (?:type )?does not match public key[^\n]*|couldn't load the (?:certificate|key|private key|public key) file[^\n]*|unable to sign certificate: [^\n]*|(?<![^\n])[^\n]*certificate [\w/ -]+ (?:is not signed by corresponding CA|has expired|is not valid|is not a CA\b|is not a certificate authority)[^\n]*|(?<![^\n])[^\n]*(?:file content is not a valid|failed to find any PEM data|no certificate was found|private key file)[^\n]*/i,
  (match) => ({
    code: 'CertificateInvalid',
    cause: `A certificate or key cannot be used: ${shorten(match[0], 240)}.`,
  }),
);

/** Before the patterns on TLS, whose words appear in the same errors. */
export const localCertificatePatterns: Pattern[] = [
  staleKubeconfig,
  foreignKubeconfig,
  notYetValid,
  foreign,
  unfit,
];
export const certificatePatterns: Pattern[] = [
  certificateKey,
  certificateSecret,
  missing,
  kubeconfigMissing,
  invalid,
  absent,
];

/** From 1.29 on admin.conf has its rights by a binding that super-admin.conf makes. */
const notBound: Pattern = inError(
  /the ClusterRoleBinding for the (\S+) Group is missing but there is no (\S+) to create it/,
  (match) => ({
    code: 'PermissionDenied',
    cause: `admin.conf has no rights in the cluster: the ClusterRoleBinding of the group ${match[1]} is missing, and there is no ${match[2]} to create it with.`,
    remedy: 'Bind that group to the ClusterRole cluster-admin, or run the full kubeadm init.',
  }),
);

export const credentialPatterns: Pattern[] = [rejected, forbidden, notBound, admission];
