import { PAUSE_MS } from '../../kit/backoff.ts';
import { dataOf } from '../../kit/bytes/data-url.ts';
import { codes } from '../../protocol/codes/codes.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import {
  AT_CONTROLLER,
  type KeyForTpm,
  MAX_SEALED_DATA_BYTES,
  type SealedStub,
} from '../../protocol/sealed-stub.ts';
import type { SecretReleaseReply } from '../../protocol/secret-release.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import { openSealed } from '../../tpm/commands/open-sealed.ts';
import { importableOf } from '../../tpm/sealing/sealed-key.ts';
import { openPart, partDigest } from '../../tpm/sealing/sealed-part.ts';
import { ALG } from '../../tpm/wire/constants.ts';
import { MalformedError } from '../../tpm/wire/reader.ts';
import { TpmError } from '../../tpm/wire/tpm-error.ts';
import { TPM_PATH } from '../document/paths.ts';
import { failure } from '../engine/failure.ts';
import { machineInstance } from '../engine/instance.ts';
import { FetchError, fetchBytes } from '../fetch/fetch.ts';
import type { Host } from '../host/host.ts';
import type { EnrolmentMethod } from '../identity/enrol.ts';
import { readToken } from '../identity/token.ts';
import { withEndorsementKey } from '../identity/tpm/endorsement-key.ts';
import { TpmProblem } from '../identity/tpm/tpm-problem.ts';
import { loadSettings } from '../settings/load-settings.ts';
import type { ControllerSettings } from '../settings/settings.ts';
import type { ClaimedIdentity, OpenResult } from '../userdata/user-data-reference.ts';
import { requestSecretRelease } from './request-secret-release.ts';
import { readSavedUserData } from './saved-user-data.ts';
import { SealedProblem } from './sealed-problem.ts';

/**
 * Opens sealed user data into memory. Where a bootstrap has succeeded with them, it gives what was kept of them without their
 * secrets, and asks nobody.
 */
export async function openSealedUserData(
  host: Host,
  stub: SealedStub,
  claimed: ClaimedIdentity,
): Promise<OpenResult> {
  try {
    const kept = await readSavedUserData(host, stub);
    return {
      kind: 'opened',
      userData: kept?.userData ?? (await open(host, stub, claimed)),
      digest: stub.digest,
    };
  } catch (error) {
    if (!(error instanceof SealedProblem || error instanceof TpmProblem)) throw error;
    const { code, message } = error;
    const permanent = codes()[code].persistence === 'permanent';
    const isForPeople = code === 'NodePending' || code === 'NodeQuarantined';
    return {
      kind: 'none',
      permanent,
      failure: failure(code, message),
      ...(permanent ? {} : { waitMs: isForPeople ? PAUSE_MS.person : PAUSE_MS.elsewhere }),
    };
  }
}

async function open(host: Host, stub: SealedStub, claimed: ClaimedIdentity): Promise<Buffer> {
  // Its own clock is all that a machine has which asks nobody; the controller goes by its own.
  if (stub.key !== AT_CONTROLLER) checkExpiry(stub, host.clock.now());
  const asksController = stub.key === AT_CONTROLLER || stub.part === AT_CONTROLLER;
  const given = asksController ? await fromController(host, stub, claimed) : undefined;
  const part = given?.part ?? (await partOf(host, stub));
  if (partDigest(part) !== stub.digest || (given && given.digest !== stub.digest))
    throw new SealedProblem(
      'SealedDataMismatch',
      `the sealed part has the digest ${given?.digest ?? partDigest(part)}, but the stub names ${stub.digest}`,
    );
  const key = stub.key === AT_CONTROLLER ? given?.key : await openKeyByTpm(host, stub.key.tpm);
  if (!key) throw new SealedProblem('SealedDataMismatch', 'the controller has no key for this user data');
  try {
    return openPart(part, key, stub, MAX_SEALED_DATA_BYTES);
  } catch (error) {
    if (error instanceof MalformedError) throw new SealedProblem('SealedDataMismatch', error.message);
    throw error;
  } finally {
    key.fill(0);
  }
}

async function partOf(host: Host, { part }: SealedStub): Promise<Buffer> {
  if (part !== AT_CONTROLLER) return await fetchPart(host, part);
  throw new SealedProblem('SealedDataMismatch', 'the controller does not have the sealed part');
}

function checkExpiry({ expires }: SealedStub, now: Date): void {
  if (Date.parse(expires) > now.getTime()) return;
  const clock = now.toISOString().replace(/\.\d+/, '');
  throw new SealedProblem(
    'SealedDataExpired',
    `the user data expired at ${expires}; this machine's clock says ${clock}`,
  );
}

async function fromController(
  host: Host,
  stub: SealedStub,
  claimed: ClaimedIdentity,
): Promise<SecretReleaseReply> {
  const { settings } = await loadSettings(host);
  // What the image or the operator says counts more than what came over the metadata service.
  const server: ControllerSettings | undefined = settings.controller ?? stub.controller;
  if (!server)
    throw new SealedProblem(
      'SealedDataUnreachable',
      'the user data is sealed, and neither report.controller nor the stub names a controller',
    );
  const providerID = settings.providerID ?? claimed.providerID;
  const machine: MachineIdentity = {
    instance: await machineInstance(host),
    hostname: claimed.hostname ?? (host.hostname() || 'localhost'),
    ...(providerID === undefined ? {} : { providerID }),
  };
  return await requestSecretRelease(host, server, machine, await meansOf(host, server));
}

/** A token where the settings name one, else the TPM. */
async function meansOf(host: Host, server: ControllerSettings): Promise<EnrolmentMethod> {
  if (server.tpm !== undefined) return { tpm: server.tpm };
  const token = await readToken(host, server);
  return token === undefined ? { tpm: TPM_PATH } : { token };
}

const SECONDS = 60;

/** A sealed part that lies in the stub or on a server: it is worth nothing without its key. @throws SealedProblem */
async function fetchPart(host: Host, place: string): Promise<Buffer> {
  if (place.startsWith('data:')) return dataOf(place) ?? Buffer.alloc(0);
  const remote = { url: sensitive(place), headers: [], isCompressed: false };
  const settings = { authorities: [], totalSeconds: SECONDS };
  try {
    return await fetchBytes(host, remote, settings, MAX_SEALED_DATA_BYTES);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new SealedProblem('SealedDataUnreachable', `the sealed part: ${error.message}`);
  }
}

/**
 * The key of a sealed part, which this machine's TPM alone can open; nobody else is asked.
 *
 * @throws SealedProblem, TpmProblem
 */
async function openKeyByTpm(host: Host, key: KeyForTpm): Promise<Uint8Array> {
  const { endorsementKey, pcrs } = key;
  const registers = pcrs.length === 0 ? undefined : { bank: ALG.sha256, pcrs };
  return await withEndorsementKey(host, async ({ channel, ek, own }) => {
    if (own !== endorsementKey)
      throw new SealedProblem(
        'SealedDataForeign',
        `the user data was sealed for the TPM ${endorsementKey}, but this machine's TPM is ${own}`,
      );
    try {
      return await openSealed(channel, ek, importableOf(key), registers);
    } catch (error) {
      throw explained(error, pcrs);
    }
  });
}

function explained(error: unknown, pcrs: readonly number[]): unknown {
  if (!(error instanceof TpmError)) return error;
  if (error.refusal === 'policy not met') {
    const state = `the user data can be opened only with the values that PCR ${pcrs.join(', ')} had when it was sealed`;
    return new TpmProblem('TpmBootStateChanged', `${state}; the values are different now`);
  }
  // A parameter that is none (format 1 of Part 2, 6.6): all of them stood in the stub.
  const isBadParameter = error.refusal === 'other' && (error.code & 0x80) !== 0;
  if (error.refusal === 'not for this key' || isBadParameter)
    return new SealedProblem('SealedDataMismatch', 'the key in the stub was changed after it was sealed');
  return error;
}
