/** Ways in which a request to the API server fails; texts of Go's net, net/http, crypto/tls, x509 and of client-go. */
import {
  aboutApiServer,
  apiServerIn,
  endpointIn,
  endSentence,
  inError,
  type Pattern,
  shorten,
} from './pattern.ts';

const dns: Pattern = inError(
  /dial tcp: lookup (\S+?)(?: on (\S+?))?: (no such host|server misbehaving|i\/o timeout|Temporary failure in name resolution|no answer from DNS server|.*connection refused|.*i\/o timeout|.*network is unreachable|.*)/,
  (match, { output }) => {
    const [, name, server, reason = ''] = match;
    const unreachable = /refused|timeout|unreachable/.test(reason);
    const asked = server === undefined ? '' : ` (asked ${server})`;
    const because = unreachable ? 'the DNS server does not answer' : shorten(reason, 80);
    return {
      code: 'ApiServerNameUnresolved',
      facts: { saysHow: true },
      cause: `The name ${name} in ${endpointIn(output.error) ?? 'the control plane endpoint'} cannot be resolved${asked}: ${because}.`,
    };
  },
  aboutApiServer,
);

const refused: Pattern = inError(
  /dial tcp (\S+?): connect(?:: connection refused|ex: No connection could be made)|(?:Get|Post|Put|Patch) "?https:[^\n]*: connection refused/,
  (match, { output }) => ({
    code: 'ApiServerUnreachable',
    facts: { saysHow: true },
    cause: `${apiServerIn(output.error)} refuses connections${match[1] === undefined ? '' : ` (${match[1]})`}: nothing listens there.`,
  }),
  aboutApiServer,
);

/** No route, a firewall, an interface that is down: whatever else the system says of a connection. */
const unroutable: Pattern = inError(
  // What wraps a text at any character leaves blanks in an address.
  /dial tcp (\S{1,300}?(?: {1,4}\S{1,40}?)?): connect(?:ex)?: (?!connection (?:timed out|reset)|operation timed out)([A-Za-z][^\n"<]*)/,
  (match, { output }) => ({
    code: 'ApiServerUnreachable',
    facts: { saysHow: true },
    cause: `${apiServerIn(output.error)} cannot be reached: ${shorten((match[2] ?? '').replace(/ *!?\[.*$/, ''), 120)} (${match[1]}).`,
  }),
  aboutApiServer,
);

/** Go gives the words of a proxy's refusal without its number; an API server's own answers have more of them. */
export const PROXY_REFUSAL =
  '(?:Forbidden|Proxy Authentication Required|Method Not Allowed|Bad Gateway|Gateway Timeout|Service Unavailable)';
const PROXY_WORDS = new RegExp(
  `proxyconnect tcp: ([^\\n"]*?)(?=\\]?$|, kube-[\\w-]+ check failed|")|(?:Get|Post|Put|Patch) (?:"https:[^"]*"|https:[^\\s"]+): (${PROXY_REFUSAL})(?=\\]?$|, kube-)`,
  'm',
);

const proxy: Pattern = inError(PROXY_WORDS, (match, { output }) => {
  const why = match[1] ?? match[2] ?? '';
  return {
    code: 'ApiServerUnreachable',
    facts: { saysHow: true },
    cause: `${apiServerIn(output.error.slice(output.error.lastIndexOf('http', match.index)))} cannot be reached through the proxy: ${shorten(why, 160)}.`,
    remedy:
      why === 'Proxy Authentication Required'
        ? "Add the control plane endpoint and the address of this machine to NO_PROXY, or set the proxy's user and password in HTTPS_PROXY."
        : 'Add the control plane endpoint and the address of this machine to NO_PROXY, or correct HTTPS_PROXY.',
  };
});

const serverTrouble: Pattern = inError(
  /etcdserver: (?:leader changed|request timed out[^\n]*|no leader|too many requests)|the server (?:is currently unable to handle the request|was unable to return a response in the time allotted[^\n]*|has asked for the client to .*|could not find the requested resource .*retry)|an error on the server \([^\n]*|Internal error occurred: [^\n]*|apiserver (?:is shutting down|not ready)|the server has received too many requests[^\n(]*|Too Many Requests|\b50[0234] (?:Internal Server Error|Bad Gateway|Service Unavailable|Gateway Timeout)|server is currently unable[^\n]*|storage is \(re\)initializing|rpc error: code = (?:Unavailable|Unknown|DeadlineExceeded|Canceled|ResourceExhausted)[^\n]*/i,
  (match, { output }) => ({
    code: 'ApiServerUnavailable',
    cause: `${apiServerIn(output.error)} could not serve a request: ${endSentence(shorten(match[0], 160))}`,
  }),
);

/** A page where the API server should be: a load balancer's, a proxy's, a portal's, or another server at this address. */
const page: Pattern = inError(
  /serializer for ([\w.+-]+\/[\w.+-]+)(?![\w.+-])[^\n]* doesn't exist|invalid character '<' looking for beginning of value|cluster-info[^\n]*: (the server could not find the requested resource)/,
  (match, { output }) => ({
    code: 'ApiServerUnavailable',
    facts: { saysHow: true },
    cause: `The server at ${endpointIn(output.error) ?? 'the control plane endpoint'} ${match[2] === undefined ? `is not an API server: it sends ${match[1] ?? 'a page'}` : 'has no cluster-info: it is not an API server, or one that has not started yet'}.`,
    remedy:
      'Check the control plane endpoint, and what its load balancer or proxy answers while no API server is up.',
  }),
  aboutApiServer,
);

const lost: Pattern = inError(
  /(?:": |: )(unexpected EOF|EOF|http2: [^\n]*(?:GOAWAY|client connection lost|timeout awaiting)[^\n]*|(?:read|write) tcp \S+: (?:read|write|use)[^\n]*|[^\n]*connection reset by peer|[^\n]*broken pipe|[^\n]*server closed idle connection)\s*$/m,
  (match, { output }) => ({
    code: 'ApiServerUnavailable',
    facts: { saysHow: true },
    cause: `${apiServerIn(output.error)} closed a connection (${shorten((match[1] ?? '').replace(/^.*: (?=(?:read|write) tcp )/, ''), 120)}); it may be restarting.`,
  }),
  aboutApiServer,
);

const slow: Pattern = inError(
  /dial tcp (\S+?): (?:connect: connection timed out|i\/o timeout|connect: operation timed out)|net\/http: (TLS handshake timeout|request canceled[^\n]*|timeout awaiting response headers)|(Client\.Timeout exceeded[^\n]*)|(?:Get|Post|Put|Patch) "https:[^"]*": (context deadline exceeded|context canceled)/,
  (match, { output }) => ({
    code: 'ApiServerUnreachable',
    cause: `${apiServerIn(output.error)} does not answer in time${match[1] === undefined ? ` (${shorten(match[2] ?? match[3] ?? match[4] ?? '', 80)})` : `: packets to ${match[1]} get no answer`}.`,
  }),
  aboutApiServer,
);

/** What the API server says of a webhook is not about the way to the API server, in whatever words. An API server may be a Service, too. */
const webhook: Pattern = inError(
  /failed calling webhook "([^"]+)": ([^\n]*)|Post "https:\/\/([\w.-]+\.svc)(?::\d+)?\/(?!apis?\/)[^"]*": ([^\n]*)/,
  (match) => ({
    code: 'ApiServerUnavailable',
    facts: { saysHow: true },
    cause: `The API server could not serve a request because it failed calling webhook ${match[1] ?? match[3]}: ${shorten(
      (match[2] ?? match[4] ?? '').replace(/^failed to call webhook: /, ''),
      160,
    )}.`,
    remedy:
      "Start the webhook's server, or exclude kube-system in its selector or set its failurePolicy to Ignore.",
  }),
);

/** Before what tells of the control plane and of connections: in every phase a proxy may stand between. */
export const proxyPatterns: Pattern[] = [proxy];
/** Before everything else that speaks of connections. */
export const webhookPatterns: Pattern[] = [webhook];
export const networkPatterns: Pattern[] = [dns, refused, unroutable, page, serverTrouble, lost, slow];
