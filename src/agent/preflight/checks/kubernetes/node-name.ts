import { isNodeName } from '../../../kubeadm/config/api/check-rules.ts';
import { otherNodeName } from '../../../kubeadm/config/kubelet/node-registration.ts';
import type { Check } from '../check.ts';
import { type PreflightFinding, preflightFinding } from '../check.ts';
import { argumentIn, extraArguments } from './node-ip.ts';

/** The Node's name: kubeadm must accept its form, no other machine may have it, and it must resolve here. */
export const nodeName: Check = {
  name: 'node name',
  async run(host, { config }) {
    const hostname = host.hostname().trim();
    const name = (config?.nodeName ?? hostname).trim().toLowerCase();
    const findings: PreflightFinding[] = [];
    if (!isNodeName(name)) {
      const whose =
        config?.nodeName === undefined ? 'the host name' : 'the name in the kubeadm configuration';
      return [
        preflightFinding('fatal', 'NodeNameInvalid', `${whose}, "${name}", cannot be the name of a Node`),
      ];
    }
    const file = config === undefined ? undefined : await extraArguments(host);
    const override = argumentIn(file?.text, 'hostname-override') ?? config?.hostnameOverride;
    const other = otherNodeName(name, override);
    if (other !== undefined)
      findings.push(
        preflightFinding(
          'fatal',
          'NodeNameWrong',
          `the kubelet is configured to register as ${other} (hostname-override), and kubeadm would wait for a Node ${name} that never comes`,
          { kubeadmCheck: 'NodeName' },
        ),
      );
    // An image has no name yet. A machine without a name would take the Node of every other such machine.
    if (config !== undefined && /^localhost(\.|$)/.test(name))
      findings.push(
        preflightFinding(
          'warning',
          'NodeNameInvalid',
          `this machine will be the Node "${name}", and so may other machines`,
        ),
      );
    const { exitStatus } = await host.processes.run({ argv: ['getent', 'ahosts', name], timeoutMs: 800 });
    // 2: not found; any other status says nothing about the name.
    if (exitStatus === 2)
      findings.push(
        preflightFinding(
          'warning',
          'HostNameUnresolved',
          `the name ${name} does not resolve on this machine`,
        ),
      );
    return findings;
  },
};
