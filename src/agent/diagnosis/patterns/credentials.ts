/** Tokens that may not authenticate, RBAC, and the certificates that control planes share. */
import { inError, type Pattern, shorten } from './pattern.ts';

const rejected: Pattern = inError(
  /\bUnauthorized\b|You must be logged in to the server|the server has asked for the client to provide credentials/,
  () => ({
    code: 'CredentialsRejected',
    cause:
      'The API server does not accept the credentials of this machine (Unauthorized): the bootstrap token may not authenticate, or it expired meanwhile.',
  }),
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
      ...(isOwnCertificate
        ? {
            remedy:
              'The certificate of the kubelet was used, not the token: check that the API server runs with the authorization mode Node, and that the name in the certificate is that of this node.',
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
    ...(match[1] === undefined ? {} : { cause: `The Secret kubeadm-certs does not hold ${match[1]}.` }),
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
      cause: `Certificates or keys that control planes share are missing: ${shorten([...new Set(files.length > 0 ? files : [match[1] ?? match[2]])].join(', '), 240)}.`,
    };
  },
);

/** Certificates that user data or an earlier attempt left, and that do not fit the configuration. */
const unfit: Pattern = inError(
  /(?:failed to write or validate certificate "([^"]+)"|failure loading ([\w/-]+) (?:CA )?certificate|failed to (?:write|load) (?:or validate )?([\w/-]+) CA): ([^\n]*)/,
  (match) => ({
    code: 'CertificateInvalid',
    cause: `The certificate ${match[1] ?? match[2] ?? match[3]} does not fit: ${shorten((match[4] ?? '').replace(/^certificate \S+ is invalid: /, ''), 220)}.`,
  }),
);

const foreign: Pattern = inError(
  /certificate (\S+) not signed by CA certificate (\S+?): ([^\n]*)/,
  (match) => ({
    code: 'CertificateInvalid',
    cause: `The certificate ${match[1]} on this machine is not signed by CA certificate ${match[2]}, or no longer valid: ${shorten(match[3] ?? '', 160)}.`,
    remedy:
      'Remove the certificates of an earlier cluster from /etc/kubernetes/pki, or let user data write matching ones.',
  }),
);

const notYetValid: Pattern = inError(
  /failure loading (\S+) (?:CA )?certificate: [^\n]*the certificate is not valid yet/,
  (match) => ({
    code: 'ClockWrong',
    cause: `The certificate ${match[1]} on this machine is not valid yet by its clock.`,
  }),
);

const staleKubeconfig: Pattern = inError(
  /a kubeconfig file "([^"]+)" exists already but has got the wrong ([^\n:]*)/,
  (match) => ({
    code: 'LeftoversFound',
    cause: `${match[1]} is there already, with the wrong ${match[2]?.trim()}.`,
    remedy: 'Remove the file (kubeadm reset -f), and build the image without it.',
  }),
);

const invalid: Pattern = inError(
  /failure loading (?:certificate|key) for [^\n]*|(?<![^\n:])[^\n:]*private key (?:type )?does not match public key[^\n]*|couldn't load the (?:certificate|key|private key|public key) file[^\n]*|(?<![^\n])[^\n]*certificate \S+ (?:is not signed by corresponding CA|has expired|is not valid)[^\n]*|(?<![^\n])[^\n]*(?:file content is not a valid|no certificate was found|private key file)[^\n]*/i,
  (match) => ({
    code: 'CertificateInvalid',
    cause: `A certificate or key cannot be used: ${shorten(match[0], 240)}.`,
  }),
);

/** Before the patterns on TLS, whose words appear in the same errors. */
export const localCertificatePatterns: Pattern[] = [staleKubeconfig, notYetValid, foreign, unfit];
export const certificatePatterns: Pattern[] = [certificateKey, certificateSecret, missing, invalid];

export const credentialPatterns: Pattern[] = [rejected, forbidden, admission];
