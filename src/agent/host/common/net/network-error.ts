import { errorMessage } from '../../../../kit/errors.ts';
import { HostError } from '../../host.ts';
import { CLOCK_TOOL } from './certificate-dates.ts';

const BEHIND = `the clock is probably behind (${CLOCK_TOOL})`;
const AHEAD = `renew it, or set the clock if that is ahead (${CLOCK_TOOL})`;

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'connection refused: nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'no answer in time',
  ENOTFOUND: 'its name is not known to DNS',
  EAI_AGAIN: 'DNS does not answer',
  CERT_HAS_EXPIRED: `by this machine's clock its certificate has expired: ${AHEAD}`,
  CERT_NOT_YET_VALID: `by this machine's clock its certificate is not valid yet: ${BEHIND}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself and not by the configured CA',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by a CA that is not configured',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by a CA that is not configured',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by a CA that is not configured',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_PROXY_TUNNEL: 'the proxy does not let the connection through',
};

/** OpenSSL's words inside its messages; the codes around them differ between reading and writing. */
const TLS_WORDS: { pattern: RegExp; words: string; errno?: string }[] = [
  { pattern: /alert protocol version|unsupported protocol/, words: 'it does not speak TLS LEAST' },
  { pattern: /wrong version number|packet length too long|http request/, words: 'it does not speak TLS' },
  {
    pattern: /alert certificate required|alert handshake failure/,
    words: 'it asks for a client certificate',
    errno: 'ECLIENTCERT',
  },
  {
    pattern: /alert (?:unknown ca|bad certificate|certificate unknown|certificate revoked)/,
    words: 'it does not accept our client certificate',
    errno: 'ECLIENTCERT',
  },
  {
    pattern: /alert certificate expired/,
    words: 'our client certificate has expired for it (or a clock is wrong)',
    errno: 'ECLIENTCERT',
  },
];

/**
 * Turns an error of Node's HTTP client into a HostError that names the server (no path, no credentials).
 * `leastTls` is the oldest accepted version, e.g. `1.3`.
 */
export function describeNetworkError(error: unknown, url: string, leastTls: string): HostError {
  const { host } = new URL(url);
  if (error instanceof HostError)
    return new HostError(`${host}: ${error.message}`, error.errno, undefined, error.isMute);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'EUNKNOWN';
  const message = errorMessage(error);
  const tls = TLS_WORDS.find(({ pattern }) => pattern.test(message));
  return new HostError(
    `${host}: ${WORDS[code] ?? tls?.words.replace('LEAST', leastTls) ?? message.trim()}`,
    tls?.errno ?? code,
  );
}
