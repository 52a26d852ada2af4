import type { MachineIdentity } from '../../protocol/events.ts';
import {
  readRefusal,
  readSecretReleaseReply,
  SECRET_RELEASE_PATH,
  SECRET_RELEASE_PURPOSE,
  type SecretReleaseReply,
} from '../../protocol/secret-release.ts';
import { WireError } from '../../protocol/wire.ts';
import { type Host, HostError } from '../host/host.ts';
import type { HttpResponse } from '../host/network.ts';
import type { EnrolmentMethod } from '../identity/enrol.ts';
import { EnrolmentRefused } from '../identity/enrolment-refused.ts';
import { type ControllerAccess, requestWithProof } from '../identity/request-with-proof.ts';
import type { ServerSettings } from '../settings/settings.ts';
import { knownCode, SealedProblem } from './sealed-problem.ts';

interface ReleaseServer extends ServerSettings {
  readonly endpoints: readonly string[];
}

/**
 * Asks the controller for what was sealed for this machine's Machine. It enrols where it has no certificate, and proves itself
 * by its TPM for this one answer.
 *
 * @throws SealedProblem, TpmProblem
 */
export async function requestSecretRelease(
  host: Host,
  server: ReleaseServer,
  machine: MachineIdentity,
  enrolmentMethod: EnrolmentMethod,
): Promise<SecretReleaseReply> {
  let trouble = new SealedProblem('SealedDataUnreachable', 'no controller is configured');
  for (const endpoint of server.endpoints) {
    try {
      return await ask(host, { server, endpoint: endpoint.replace(/\/+$/, ''), machine, enrolmentMethod });
    } catch (error) {
      trouble = problemOf(error, endpoint);
      if (trouble.code !== 'SealedDataUnreachable') throw trouble;
    }
  }
  throw trouble;
}

/** @returns what can be told of it; throws what is nothing of ours */
function problemOf(error: unknown, endpoint: string): SealedProblem {
  if (error instanceof SealedProblem) return error;
  if (error instanceof EnrolmentRefused) {
    const isBusy = error.status === 429 || error.status >= 500;
    const code = knownCode(error.reason) ?? (isBusy ? 'SealedDataUnreachable' : 'SealedDataRefused');
    return new SealedProblem(code, error.message);
  }
  if (error instanceof HostError) return new SealedProblem('SealedDataUnreachable', error.message);
  if (error instanceof WireError)
    return new SealedProblem(
      'SealedDataUnreachable',
      `${new URL(endpoint).host} did not answer as a controller: ${error.message}`,
    );
  throw error;
}

async function ask(host: Host, asker: ControllerAccess): Promise<SecretReleaseReply> {
  const question = { path: SECRET_RELEASE_PATH, body: {}, purpose: SECRET_RELEASE_PURPOSE };
  const answer = await requestWithProof(host, asker, question);
  if (answer === undefined)
    throw new SealedProblem('SealedDataRefused', 'the controller rejects the certificate that it issued');
  if (answer.status !== 200) throw refusal(answer);
  return readSecretReleaseReply(Buffer.from(answer.body));
}

function refusal({ status, body }: HttpResponse): SealedProblem {
  const { words, reason } = readRefusal(body);
  const isBusy = status === 429 || status >= 500;
  const code = knownCode(reason) ?? (isBusy ? 'SealedDataUnreachable' : 'SealedDataRefused');
  const said = words ?? `it returned status ${status}`;
  return new SealedProblem(code, `the controller says: ${said}`);
}
