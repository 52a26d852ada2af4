import { HostError } from '../../../host/host.ts';
import type { Check } from '../check.ts';
import { found, type PreflightFinding } from '../finding.ts';

/** Where containerd listens on Windows, unless its configuration says otherwise. */
const PIPE = 'npipe:////./pipe/containerd-containerd';
/** A longer name is cut off for NetBIOS, and two machines may then have the same one. */
const LONGEST_NAME = 15;
const LIMIT_MS = 900;

/** What kubeadm itself does not look at on Windows: the runtime's pipe, and the name of the machine. Neither ends a bootstrap. */
export const windows: Check = {
  name: 'Windows',
  async run(host, { config }) {
    const findings: PreflightFinding[] = [];
    const name = host.hostname();
    if (name.length > LONGEST_NAME)
      findings.push(
        found(
          'warning',
          'NodeNameInvalid',
          `the host name "${name}" is longer than the ${LONGEST_NAME} characters that NetBIOS takes`,
        ),
      );
    const socket = config?.criSocket ?? PIPE;
    const pipe = socket
      .replace(/^npipe:/, '')
      .replaceAll('/', '\\')
      .replace(/^\\+/, '\\\\');
    try {
      await host.network.callUnix(pipe, '/runtime.v1.RuntimeService/Version', new Uint8Array(0), LIMIT_MS);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const why = error.errno === 'ENOENT' ? 'is not there' : `cannot be asked (${error.errno})`;
      const remedy =
        'Register containerd as a service in the image (containerd --register-service) and start it.';
      findings.push(
        found('warning', 'ContainerRuntimeDown', `the container runtime's pipe ${socket} ${why}`, { remedy }),
      );
    }
    return findings;
  },
};
