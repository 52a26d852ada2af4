import type { Code } from '../../../../protocol/codes/codes.ts';
import { readApiServer } from '../../../diagnosis/evidence/api-server.ts';
import type { ApiServerView } from '../../../diagnosis/evidence/evidence.ts';
import { goesThroughProxy } from '../../../kubeadm/config/proxy.ts';
import type { Check } from '../check.ts';
import { type PreflightFinding, preflightFinding } from '../check.ts';

const LIMIT_MS = 900;
/** A new cluster's certificates begin at once, so a clock that is further behind makes them invalid. */
const CLOCK_SECONDS = 30;

const CODES: Record<NonNullable<ApiServerView['failedAt']>, Code> = {
  dns: 'ApiServerNameUnresolved',
  tcp: 'ApiServerUnreachable',
  mute: 'ApiServerUnavailable',
  tls: 'ApiServerCertificateInvalid',
  http: 'ApiServerUnavailable',
};

/**
 * Asks the API server to join: name, connection, TLS, answer, and its clock against ours. Nothing here is
 * fatal, because it may all come right before the deadline.
 */
export const apiServer: Check = {
  name: 'API server',
  async run(host, { config }) {
    const proxied = (at: string): boolean => goesThroughProxy(at, (name) => host.env(name));
    const advertised = config?.controlPlane === true ? config.advertiseAddress : undefined;
    const asked = [...(config?.endpoints ?? []), ...(advertised === undefined ? [] : [advertised])];
    const behindProxy = asked.filter(proxied);
    if (behindProxy.length > 0) return [inNoProxy(behindProxy)];
    const [endpoint] = config?.verb === 'join' ? config.endpoints : [];
    if (endpoint === undefined) return [];
    return judge(endpoint, await readApiServer(host, endpoint, LIMIT_MS));
  },
};

/** Few proxies lead to an API server, and what they answer is told as a control plane that does not come up. */
const inNoProxy = (asked: readonly string[]): PreflightFinding =>
  preflightFinding(
    'warning',
    'ApiServerUnreachable',
    `kubeadm and the kubelet would connect to ${[...new Set(asked)].join(' and ')} through the proxy in HTTPS_PROXY; add ${asked.length > 1 ? 'them' : 'it'} to NO_PROXY unless that is intended`,
  );

function judge(endpoint: string, view: ApiServerView): PreflightFinding[] {
  const { failedAt, problem, status, clockAhead } = view;
  const where = `the API server ${endpoint}`;
  if (failedAt !== undefined)
    return [
      preflightFinding('warning', CODES[failedAt], `${where} does not answer (yet): ${problem ?? failedAt}`),
    ];
  const findings: PreflightFinding[] = [];
  if (status !== undefined && status >= 500)
    findings.push(
      preflightFinding('warning', 'ApiServerUnavailable', `${where} answers with HTTP status ${status}`),
    );
  if (clockAhead !== undefined && Math.abs(clockAhead) > CLOCK_SECONDS) {
    const way = clockAhead > 0 ? 'ahead of' : 'behind';
    findings.push(
      preflightFinding(
        'warning',
        'ClockWrong',
        `this machine's clock is ${Math.abs(clockAhead)} s ${way} that of ${where}`,
      ),
    );
  }
  return findings;
}
