/** Ways in which a request to the API server fails; texts of Go's net, net/http, crypto/tls, x509 and of client-go. */
import { endpointIn, endSentence, inError, type Pattern, type PatternInput, shorten } from './pattern.ts';

/** The kubelet's own health port and local control plane addresses are not "the API server". */
const aboutApiServer = ({ output }: PatternInput): boolean =>
  !/:(10248|10257|10259|2379|2380)\b/.test(output.error) && !/wait-control-plane/.test(output.phase ?? '');

const where = (input: string): string => {
  const endpoint = endpointIn(input);
  return endpoint === undefined ? 'The API server' : `The API server at ${endpoint}`;
};

const dns: Pattern = inError(
  /dial tcp: lookup (\S+?)(?: on (\S+?))?: (no such host|server misbehaving|i\/o timeout|Temporary failure in name resolution|no answer from DNS server|.*connection refused|.*i\/o timeout|.*network is unreachable|.*)/,
  (match, { output }) => {
    const [, name, server, reason = ''] = match;
    const unreachable = /refused|timeout|unreachable/.test(reason);
    const asked = server === undefined ? '' : ` (asked ${server})`;
    const because = unreachable ? 'the DNS server does not answer' : shorten(reason, 80);
    return {
      code: 'ApiServerNameUnresolved',
      cause: `The name ${name} in ${endpointIn(output.error) ?? 'the control plane endpoint'} cannot be resolved${asked}: ${because}.`,
    };
  },
  aboutApiServer,
);

const refused: Pattern = inError(
  /dial tcp (\S+?): connect: connection refused/,
  (match, { output }) => ({
    code: 'ApiServerUnreachable',
    cause: `${where(output.error)} refuses connections (${match[1]}): nothing listens there.`,
  }),
  aboutApiServer,
);

const unroutable: Pattern = inError(
  /dial tcp (\S+?): connect: (no route to host|network is unreachable|host is down|permission denied|cannot assign requested address)/,
  (match, { output }) => ({
    code: 'ApiServerUnreachable',
    cause: `${where(output.error)} cannot be reached: ${match[2]} (${match[1]}).`,
  }),
  aboutApiServer,
);

const proxy: Pattern = inError(
  /proxyconnect tcp: (.*)|Get "https:[^"]*": (Forbidden|Proxy Authentication Required|Bad Gateway|Gateway Timeout|Service Unavailable)$/m,
  (match, { output }) => ({
    code: 'ApiServerUnreachable',
    cause: `${where(output.error)} cannot be reached through the proxy: ${shorten(match[1] ?? match[2] ?? '', 160)}.`,
    remedy: 'Put the control plane endpoint into NO_PROXY, or correct HTTPS_PROXY.',
  }),
  aboutApiServer,
);

const clock: Pattern = inError(
  /x509: certificate has expired or is not yet valid(?:: current time (\S+) is (before|after) (\S+))?/,
  (match) => {
    const [, now, relation, limit] = match;
    const detail =
      now === undefined
        ? ''
        : `: the clock says ${now}, which is ${relation} ${limit?.replace(/[),.]+$/, '')}`;
    return { code: 'ClockWrong', cause: `A certificate has expired or is not yet valid${detail}.` };
  },
);

const wrongName: Pattern = inError(
  /x509: (?:certificate is valid for (.+?), not (\S+)|certificate is not valid for any names, but wanted to match (\S+)|cannot validate certificate for (\S+) because it doesn't contain any IP SANs)/,
  (match, { output }) => ({
    code: 'ApiServerCertificateInvalid',
    cause: `${where(output.error)} has a certificate that is not valid for ${match[2] ?? match[3] ?? match[4]}${match[1] === undefined ? '' : ` (only for ${shorten(match[1], 120)})`}.`,
  }),
);

const unknownAuthority: Pattern = inError(
  /x509: (certificate signed by unknown authority|certificate is not authorized to sign other certificates|certificate relies on legacy Common Name field)[^\n]*/,
  (match, { output }) => ({
    code: 'ApiServerCertificateInvalid',
    cause: `${where(output.error)} has a certificate that is not trusted: ${shorten(match[1] ?? '', 120)}.`,
  }),
);

const notTls: Pattern = inError(
  /server gave HTTP response to HTTPS client|tls: first record does not look like a TLS handshake|remote error: tls: (?!bad certificate)[\w ]+|tls: (?:unsupported|protocol|server selected)[^\n]*/,
  (match, { output }) => ({
    code: 'ApiServerCertificateInvalid',
    cause: `${where(output.error)} does not speak TLS as an API server does: ${shorten(match[0], 120)}.`,
    remedy:
      'Check that the control plane endpoint is the address and port of the API server and not of something else.',
  }),
  aboutApiServer,
);

const serverTrouble: Pattern = inError(
  /etcdserver: (?:leader changed|request timed out[^\n]*|no leader|too many requests|mvcc: database space exceeded)|the server (?:is currently unable to handle the request|was unable to return a response in the time allotted[^\n]*|has asked for the client to .*|could not find the requested resource .*retry)|an error on the server \([^\n]*|Internal error occurred: [^\n]*|apiserver (?:is shutting down|not ready)|Too Many Requests|\b50[0234] (?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Timeout)|server is currently unable[^\n]*|storage is \(re\)initializing/i,
  (match, { output }) => ({
    code: 'ApiServerUnavailable',
    cause: `${where(output.error)} could not serve a request: ${endSentence(shorten(match[0], 160))}`,
  }),
);

const lost: Pattern = inError(
  /(?:": |: )(unexpected EOF|EOF|http2: [^\n]*(?:GOAWAY|client connection lost|timeout awaiting)[^\n]*|(?:read|write) tcp \S+: (?:read|write|use)[^\n]*|[^\n]*connection reset by peer|[^\n]*broken pipe|[^\n]*server closed idle connection)\s*$/m,
  (match, { output }) => ({
    code: 'ApiServerUnavailable',
    cause: `${where(output.error)} broke off a connection (${shorten(match[1] ?? '', 120)}); it may be restarting.`,
  }),
  aboutApiServer,
);

const slow: Pattern = inError(
  /dial tcp (\S+?): (?:connect: connection timed out|i\/o timeout|connect: operation timed out)|net\/http: (TLS handshake timeout|request canceled[^\n]*|timeout awaiting response headers)|(Client\.Timeout exceeded[^\n]*)|(?:Get|Post|Put|Patch) "https:[^"]*": (context deadline exceeded|context canceled)/,
  (match, { output }) => ({
    code: 'ApiServerUnreachable',
    cause: `${where(output.error)} does not answer in time${match[1] === undefined ? ` (${shorten(match[2] ?? match[3] ?? match[4] ?? '', 80)})` : `: packets to ${match[1]} get no answer`}.`,
  }),
  aboutApiServer,
);

/** Certificate errors before lost connections: the former are the cause of the latter. */
export const networkPatterns: Pattern[] = [
  clock,
  wrongName,
  unknownAuthority,
  notTls,
  proxy,
  dns,
  refused,
  unroutable,
  serverTrouble,
  lost,
  slow,
];
