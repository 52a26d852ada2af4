import type { MachineIdentity } from '../../protocol/events.ts';
import { KUBELET_KEY_PATH, kubeletKeyPurpose } from '../../protocol/kubelet-key.ts';
import { readRefusal } from '../../protocol/secret-release.ts';
import { WireError } from '../../protocol/wire.ts';
import { machineInstance } from '../engine/instance.ts';
import { type Host, HostError } from '../host/host.ts';
import { EnrolmentRefused } from '../identity/enrolment-refused.ts';
import { withKeptAuthorities } from '../identity/kept-authorities.ts';
import { requestWithProof } from '../identity/request-with-proof.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { CredentialProblem } from './credential-problem.ts';

/**
 * Proves to the controller, by the TPM, that the key of this request is this machine's own. The approver takes no other one.
 *
 * @throws CredentialProblem, TpmProblem
 */
export async function proveKey(host: Host, csr: string): Promise<void> {
  const { settings } = await loadSettings(host);
  const { controller: server, providerID } = settings;
  if (server?.tpm === undefined)
    throw new CredentialProblem(
      'CredentialUnavailable',
      'the settings name no controller with a TPM to prove this machine by (report.controller: endpoints and tpm, in /etc/slipway/config.yaml)',
    );
  const machine: MachineIdentity = {
    instance: await machineInstance(host),
    hostname: host.hostname() || 'localhost',
    ...(providerID === undefined ? {} : { providerID }),
  };
  const known = await withKeptAuthorities(host, machine.instance, server);
  const asker = { server: known, machine, enrolmentMethod: { tpm: server.tpm } };
  const question = { path: KUBELET_KEY_PATH, body: { csr }, purpose: kubeletKeyPurpose(csr) };
  let trouble = unavailable('no controller is named');
  for (const endpoint of server.endpoints) {
    try {
      const answer = await requestWithProof(
        host,
        { ...asker, endpoint: endpoint.replace(/\/+$/, '') },
        question,
      );
      if (answer?.status === 200) return;
      const { words, reason } = readRefusal(answer?.body ?? '');
      const said =
        words ?? `it answers with HTTP status ${answer?.status ?? 'none to the certificate it gave'}`;
      trouble = problem(answer?.status ?? 403, `${endpoint}: ${said}`, reason);
    } catch (error) {
      trouble = problemOf(error, endpoint);
    }
    // Another one says the same.
    if (trouble.code === 'CredentialRefused') throw trouble;
  }
  throw trouble;
}

/** @returns what can be told of it; throws what is nothing of ours */
function problemOf(error: unknown, endpoint: string): CredentialProblem {
  if (error instanceof EnrolmentRefused)
    return problem(error.status, `${endpoint}: ${error.message}`, error.reason);
  if (error instanceof HostError || error instanceof WireError)
    return unavailable(`${endpoint}: ${error.message}`);
  throw error;
}

function problem(status: number, message: string, reason: string | undefined): CredentialProblem {
  const isBusy = status === 429 || status >= 500;
  const code = isBusy ? 'CredentialUnavailable' : 'CredentialRefused';
  return new CredentialProblem(code, reason === undefined ? message : `${message} (${reason})`);
}

function unavailable(message: string): CredentialProblem {
  return new CredentialProblem('CredentialUnavailable', message);
}
