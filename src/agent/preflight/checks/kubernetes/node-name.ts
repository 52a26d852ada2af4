import { isNodeName } from '../../../kubeadm/config/api/check-rules.ts';
import type { Check } from '../check.ts';
import { found, type PreflightFinding } from '../finding.ts';

/** The name the Node will have: of the form that kubeadm demands, this machine's own, and known to the machine itself. */
export const nodeName: Check = {
  name: 'node name',
  async run(host, { config }) {
    const hostname = host.hostname().trim();
    const name = (config?.nodeName ?? hostname).trim().toLowerCase();
    const findings: PreflightFinding[] = [];
    if (!isNodeName(name)) {
      const whose =
        config?.nodeName === undefined ? 'the host name' : 'the name in the kubeadm configuration';
      return [found('fatal', 'NodeNameInvalid', `${whose}, "${name}", cannot be the name of a Node`)];
    }
    // An image has no name yet; a machine that still has none would take the Node of every other such machine.
    if (config !== undefined && /^localhost(\.|$)/.test(name))
      findings.push(
        found('warning', 'NodeNameInvalid', `this machine will be the Node "${name}", as others may be`),
      );
    const { exitStatus } = await host.processes.run({ argv: ['getent', 'ahosts', name], timeoutMs: 800 });
    // 2: looked up and not found; anything else says nothing about the name.
    if (exitStatus === 2)
      findings.push(
        found('warning', 'HostNameUnresolved', `the name ${name} does not resolve on this machine`),
      );
    return findings;
  },
};
