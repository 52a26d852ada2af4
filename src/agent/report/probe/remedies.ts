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
    return `Look at report.controller.endpoints and at this machine's DNS servers (getent hosts ${hostname}).`;
  if (step === 'route')
    return errno === 'ERR_PROXY_TUNNEL'
      ? `Have the proxy let connections to ${hostname}:${port || 443} through, or name the host in report.controller.noProxy.`
      : `Look whether the controller runs, and what is between: firewall, security group, NetworkPolicy, load balancer (port ${port || 443}).`;
  if (step === 'answer')
    return "Look at the controller's log; one that is overloaded or just ends is asked again by the reporter.";
  if (/CA that is not configured|signed by itself/.test(message))
    return 'Put what "slipway-controller ca" prints into report.controller.ca. Where that is what it has, something between ends TLS itself.';
  if (errno === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `Start the controller with --name ${hostname}, or name it in report.controller.endpoints as its certificate does.`;
  if (/^CERT_/.test(errno)) return 'Set the clock, or renew the certificate, whichever is wrong.';
  return 'Look at what is between: it takes the connection, and it is no controller that speaks TLS 1.3.';
}
