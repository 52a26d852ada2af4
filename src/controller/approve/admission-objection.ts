import type { MachineDirectory } from '../machines/directory.ts';
import type { Member } from './member.ts';
import type { Members } from './members.ts';
import { deny, type Verdict, wait } from './verdict.ts';

/**
 * Whether the machine that is this Machine may have certificates: as its NodeBootstrap says, which must be there where a
 * NodeIdentityPolicy or a named TPM demands a proof.
 *
 * @returns undefined where it may
 */
export function admissionObjection(
  member: Member,
  members: Pick<Members, 'holderOf'>,
  directory: Pick<MachineDirectory, 'keyOf' | 'policiesOf' | 'whyNot' | 'isUnread'>,
): Verdict | undefined {
  const holder = members.holderOf(member);
  const { state, why } = holder?.admission ?? {};
  if (state === 'Quarantined') return deny('its NodeBootstrap is quarantined');
  if (state === 'Refused') return deny(`its NodeBootstrap is refused: ${why ?? 'its last proof failed'}`);
  if (directory.isUnread(member))
    return wait('its infrastructure object was not read yet, and may name a TPM for it');
  const policies = directory.policiesOf(member);
  const demanding =
    policies.length > 0
      ? `policy ${policies.map(({ name }) => name).join(', ')}`
      : directory.keyOf(member) !== undefined && 'the TPM that is named for it';
  if (demanding === false) return undefined;
  const invalid = policies.find((policy) => policy.invalid !== undefined);
  if (invalid) return wait(`policy ${invalid.name} cannot be kept: ${invalid.invalid}`);
  if (!holder?.machine) return wait(`its machine has not proved itself yet, as ${demanding} demands`);
  const { endorsementKey } = holder.enrolment;
  const { by } = holder.machine;
  const objection = directory.whyNot(member, by, { endorsementKey });
  if (objection !== undefined) return deny(`its Machine ${objection}`);
  // By now people may have named the key.
  if (by === 'firstUse' && directory.keyOf(member) === undefined)
    return wait(
      `its machine is known by first use only, and nobody vouches for its key ${endorsementKey}, as ${demanding} demands (slipway.dev/endorsement-key, or endorsementKeys.trusted or .authorities)`,
    );
  return state === 'Pending'
    ? wait('its NodeBootstrap waits to be admitted: slipway-controller nodes admit')
    : undefined;
}
