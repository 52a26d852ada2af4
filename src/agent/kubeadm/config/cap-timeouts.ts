/**
 * Lets kubeadm's own long waits end before the deadline does: then kubeadm says itself what it waited for,
 * instead of being ended in the middle of it.
 */

import { setValue } from './yaml/edit-document.ts';
import { formatGoDuration, parseGoDuration } from './yaml/go-duration.ts';

interface Wait {
  kind: 'InitConfiguration' | 'ClusterConfiguration' | 'JoinConfiguration';
  path: readonly string[];
  /** What kubeadm takes when nothing is set, in seconds. */
  usual: number;
}

const wait = (kind: Wait['kind'], path: string, usual: number): Wait => ({
  kind,
  path: path.split('.'),
  usual,
});

/** Up to v1beta3 (a join's TLS bootstrap and control plane cannot be set there), and from v1beta4 on. */
const WAITS: Readonly<Record<'old' | 'new', Readonly<Record<'init' | 'join', readonly Wait[]>>>> = {
  old: {
    init: [wait('ClusterConfiguration', 'apiServer.timeoutForControlPlane', 240)],
    join: [wait('JoinConfiguration', 'discovery.timeout', 300)],
  },
  new: {
    init: [
      wait('InitConfiguration', 'timeouts.controlPlaneComponentHealthCheck', 240),
      wait('InitConfiguration', 'timeouts.kubeletHealthCheck', 240),
    ],
    join: [
      wait('JoinConfiguration', 'timeouts.discovery', 300),
      wait('JoinConfiguration', 'timeouts.tlsBootstrap', 300),
      wait('JoinConfiguration', 'timeouts.kubeletHealthCheck', 240),
      wait('JoinConfiguration', 'timeouts.controlPlaneComponentHealthCheck', 240),
    ],
  },
};

/**
 * The configuration in which no such wait takes longer than `seconds`. What is shorter, set by the user or by
 * kubeadm, stays.
 *
 * @param version Version of kubeadm's API that the text speaks.
 * @throws KubeadmError `KubeadmConfigInvalid` when the text cannot be read.
 */
export function capTimeouts(text: string, verb: 'init' | 'join', version: string, seconds: number): string {
  const waits = WAITS[/^v1(alpha\d+|beta[123])$/.test(version) ? 'old' : 'new'][verb];
  return waits.reduce(
    (now, { kind, path, usual }) =>
      setValue(now, kind, path, formatGoDuration(seconds), (present) => {
        const set = present === undefined ? usual : parseGoDuration(present);
        return set !== undefined && set > seconds;
      }),
    text,
  );
}
