import type { HostError } from '../../host/host.ts';
import type { ReachedStep } from '../../host/network.ts';

/** Where the way to a controller can end; `answer`: it is there and does not answer. */
type FailedStep = ReachedStep | 'answer';

const OF_NAME: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN'];
const OF_ROUTE: readonly string[] = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ERR_PROXY_TUNNEL'];
const NEXT: Readonly<Record<ReachedStep, FailedStep>> = { name: 'route', route: 'tls', tls: 'answer' };

/** @param reached the last step that went well; undefined also where a proxy was asked */
export function failedStep(error: HostError, reached: ReachedStep | undefined): FailedStep {
  if (OF_NAME.includes(error.errno)) return 'name';
  if (OF_ROUTE.includes(error.errno)) return 'route';
  if (/CERT|TLS|SELF_SIGNED|UNABLE_TO/.test(error.errno) || error.isMute) return 'tls';
  return reached === undefined ? 'route' : NEXT[reached];
}

/** What to do where the way ends, as far as the machine can tell. */
export function remedyOf(step: FailedStep, { errno, message }: HostError, url: string): string {
  const { hostname, port } = new URL(url);
  if (step === 'name')
    return `Check report.controller.endpoints and this machine's DNS servers (getent hosts ${hostname}).`;
  if (step === 'route')
    return errno === 'ERR_PROXY_TUNNEL'
      ? `Allow connections to ${hostname}:${port || 443} on the proxy, or add the host to report.controller.noProxy.`
      : `Check that the controller is running, and what is in between: firewall, security group, NetworkPolicy, load balancer (port ${port || 443}).`;
  if (step === 'answer')
    return "Check the controller's log; if it is overloaded or restarting, the reporter retries.";
  if (/CA that is not configured|signed by itself/.test(message))
    return 'Set report.controller.ca to the output of "slipway-controller ca". If it is already set to that, something in between terminates TLS.';
  if (errno === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `Start the controller with --name ${hostname}, or use a name from its certificate in report.controller.endpoints.`;
  if (/^CERT_/.test(errno)) return 'Set the clock, or renew the certificate, whichever is wrong.';
  return 'Check what is in between: it accepts the connection but is not a controller that speaks TLS 1.3.';
}
