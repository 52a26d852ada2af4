import { UsageError } from '../../kit/errors.ts';
import { visible } from '../../kit/terminal/visible.ts';
import { codes } from '../../protocol/codes/codes.ts';
import { KUBELET_KUBECONFIG } from '../cluster/kubelet-identity.ts';
import { createHost } from '../create-host.ts';
import { obtainCredential } from '../credential/credential.ts';
import { CredentialProblem } from '../credential/credential-problem.ts';
import { EXEC_INFO, execCredentialResponse, requestedVersion } from '../credential/exec-credential.ts';
import { writeKubeletConfig } from '../credential/kubelet-setup.ts';
import { HostError } from '../host/host.ts';
import { TpmProblem } from '../identity/tpm/tpm-problem.ts';
import { pathOption, requireRoot, withUsageErrors } from './options/options.ts';

interface CredentialFlags {
  node: string;
  kubeconfig?: string;
  setUp?: boolean;
}

/** A label's characters, as the API server has them (RFC 1123). */
const NODE = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** `slipway credential`: 0 with a certificate on standard output, 1 where there is none, 2 if the arguments are wrong. */
export function credentialCommand(flags: CredentialFlags): Promise<number> {
  return withUsageErrors(async () => {
    const { node: nodeName } = flags;
    if (!NODE.test(nodeName)) throw new UsageError(`--node ${visible(nodeName)}: not the name of a Node`);
    const kubeconfig =
      flags.kubeconfig === undefined ? KUBELET_KUBECONFIG : pathOption('kubeconfig', flags.kubeconfig);
    requireRoot("use the kubelet's certificate", 'slipway credential');
    const host = createHost();
    try {
      if (flags.setUp) {
        await writeKubeletConfig(host, nodeName, process.execPath);
        return 0;
      }
      const version = requestedVersion(host.env(EXEC_INFO));
      if (version === undefined)
        throw new UsageError(
          `${EXEC_INFO} names no version of client.authentication.k8s.io that Slipway speaks (v1, v1beta1); kubelet and kubectl set it, for a user with exec in the kubeconfig`,
        );
      const { credential, until, trouble } = await obtainCredential(host, { nodeName, kubeconfig });
      if (trouble) tell(trouble);
      process.stdout.write(execCredentialResponse(version, credential, until));
      return 0;
    } catch (error) {
      if (!(error instanceof CredentialProblem || error instanceof TpmProblem || error instanceof HostError))
        throw error;
      tell(error);
      return 1;
    }
  });
}

/** kubelet and kubectl pass standard error on to their own. */
function tell(error: CredentialProblem | TpmProblem | HostError): void {
  const code = error instanceof HostError ? 'CredentialUnavailable' : error.code;
  process.stderr.write(`slipway: ${visible(error.message)} [${code}]\n  ${codes()[code].fix}\n`);
}
