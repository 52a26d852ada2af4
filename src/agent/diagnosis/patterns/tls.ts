/** TLS between this machine and the API server; texts of Go's crypto/tls and crypto/x509, 1.15 - 1.24. */
import {
  aboutApiServer,
  apiServerIn,
  inError,
  OWN_SILENT,
  type Pattern,
  type PatternInput,
  shorten,
} from './pattern.ts';

/** It spoke with etcd itself, and did not ask the API server for anything. */
const withEtcd = ({ output }: PatternInput): boolean =>
  /etcd client|endpoints with etcd|etcd cluster|etcdserver|:2379\b/.test(output.error) &&
  !/"?https:\/\/[^\s"]+\/api/.test(output.error);

const etcdUntrusted: Pattern = inError(
  /tls: failed to verify certificate[^\n]*|x509: (?!certificate has expired)[^\n]*|remote error: tls: [^\n]*certificate[^\n]*/,
  (match) => ({
    code: 'CertificateInvalid',
    cause: `This machine and the etcd cluster do not trust each other's certificates: ${shorten(match[0].replace(/^tls: failed to verify certificate: /, ''), 160)}.`,
    remedy: /valid for|IP SANs/.test(match[0])
      ? 'Check that a member of this cluster is at that address, and renew its certificate (/etc/kubernetes/pki/etcd/server.crt) with that address.'
      : "Give this machine its cluster's etcd CA (/etc/kubernetes/pki/etcd/ca.crt and ca.key), and remove what an earlier cluster left in /etc/kubernetes/pki.",
  }),
  withEtcd,
);

const clock: Pattern = inError(
  /x509: certificate has expired or is not yet valid(?:: current time (\S+) is (before|after) (\S+))?/,
  (match, { output }) => {
    const [, now, relation, limit] = match;
    const detail =
      now === undefined
        ? ''
        : `: the clock shows ${now}, which is ${relation} ${limit?.replace(/[),.]+$/, '')}`;
    const shown =
      /https:\/\/(?:(?!https:)[^\s"])+?\/apis?\/(?:(?!https:)[^\n])*x509: certificate has expired/.test(
        output.error,
      );
    return {
      code: 'ClockWrong',
      cause: `A certificate has expired or is not yet valid${detail}.`,
      ...(shown ? { facts: { ofApiServer: true } } : {}),
    };
  },
);

const wrongName: Pattern = inError(
  /certificate is valid for (.+?), (?:not|NOT) (\S+)|x509: certificate is not valid for any names, but wanted to match (\S+)|x509: cannot validate certificate for (\S+) because it doesn't contain any IP SANs/,
  (match, { output }) => ({
    code: 'ApiServerCertificateInvalid',
    cause: `${apiServerIn(output.error)} has a certificate that is not valid for ${match[2] ?? match[3] ?? match[4]}${match[1] === undefined ? '' : ` (only for ${shorten(match[1], 120)})`}.`,
  }),
);

/** These phases ask with what was made of the CA on this machine; who answers, discovery has proved before. */
const foreignCa: Pattern = inError(
  /x509: certificate signed by unknown authority/,
  ({ input }) => ({
    code: 'ApiServerCertificateInvalid',
    cause: `${apiServerIn(input)} has a certificate that was not signed by the CA on this machine (ca.crt in the certificates directory).`,
    remedy:
      "Give this machine its cluster's CA (ca.crt and ca.key, from user data or with --certificate-key), and remove what an earlier cluster left in /etc/kubernetes/pki.",
  }),
  ({ output: { phase = '' } }) => /^(?:check-etcd|etcd-join|control-plane-join)/.test(phase),
);

/** Its names are not the trouble. */
export const UNTRUSTED =
  "Check that the control plane endpoint leads to the right cluster, that nothing on the way answers with its own certificate (a load balancer, a proxy that intercepts TLS), and that this machine has the cluster's CA.";

const unknownAuthority: Pattern = inError(
  /x509: (certificate signed by unknown authority|certificate is not authorized to sign other certificates|certificate relies on legacy Common Name field)[^\n]*/,
  (match, { output }) => ({
    code: 'ApiServerCertificateInvalid',
    cause: `${apiServerIn(output.error)} has a certificate that is not trusted: ${shorten(match[1] ?? '', 120)}.`,
    ...(/legacy Common Name/.test(match[0]) ? {} : { remedy: UNTRUSTED }),
  }),
);

/** Somebody has cut off what follows. */
const notVerified: Pattern = inError(
  /tls: failed to verify certificate(?!: x509: certificate has expired)/,
  (_, { output }) => ({
    code: 'ApiServerCertificateInvalid',
    cause: `${apiServerIn(output.error)} has a certificate that could not be verified.`,
  }),
);

const notTls: Pattern = inError(
  /server gave HTTP response to HTTPS client|tls: first record does not look like a TLS handshake|remote error: tls: (?!bad certificate)[\w ]+|tls: (?:unsupported|protocol|server selected)[^\n]*/,
  (match, { output }) => ({
    code: 'ApiServerCertificateInvalid',
    cause: `${apiServerIn(output.error)} does not speak TLS like an API server: ${shorten(match[0], 120)}.`,
    remedy:
      'Check that the control plane endpoint is the address and port of the API server, not of something else.',
  }),
  aboutApiServer,
);

/** What asks the API server of this machine for the first time, or waits for it: all that fails of a CA that is out of its time. */
const ASKS_OWN =
  /^(?:wait-control-plane|control-plane-join|kubelet-start|kubelet-wait-bootstrap|upload-|mark-)/;

/** kubeadm warns of it, goes on, and waits in vain for an API server whose certificates nobody trusts. */
const outOfTime: Pattern = ({ output }) => {
  const { phase, error, stdout, stderr } = output;
  if (phase === undefined ? !OWN_SILENT.test(error) : !ASKS_OWN.test(phase)) return undefined;
  const warned = WARNED_OF_PERIOD.exec(`${stderr}\n${stdout}`);
  if (warned === null) return undefined;
  const [said, name, is, from, until] = warned;
  return {
    code: 'ClockWrong',
    cause: `The certificate ${name} on this machine ${is === 'has expired' ? `was valid until ${until}` : `is valid from ${from} on`}, as kubeadm warned: certificates signed by it are not trusted.`,
    evidence: said,
  };
};

const WARNED_OF_PERIOD =
  /could not validate bounds for certificate (\S{1,80}): the certificate (has expired|is not valid yet): NotBefore: ([^,\n]{1,60}), NotAfter: ([^\n"]{1,60})/;

/** It comes before what the API server of this machine does not answer. */
export const certificatePeriodPatterns: Pattern[] = [outOfTime];

/** They come before lost connections, which they cause. */
export const tlsPatterns: Pattern[] = [
  clock,
  etcdUntrusted,
  wrongName,
  foreignCa,
  unknownAuthority,
  notVerified,
  notTls,
];
