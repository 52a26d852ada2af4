import { KUBELET_KEY_MS } from '../../protocol/kubelet-key.ts';
import type { MachineDirectory } from '../machines/directory.ts';
import type { ParsedRequest } from './examine.ts';
import type { Member } from './member.ts';
import type { Members } from './members.ts';
import { deny, type Verdict, wait } from './verdict.ts';

/** Two clusters' clocks may differ by this. */
const SKEW_MS = 5 * 60_000;

/**
 * Whether a client certificate is asked for with the key that the machine proved to be its kubelet's (threat model 9 and 22).
 * From the first such proof on the Machine's node gets no certificate for another key; a policy that demands a TPM wants one
 * before a bootstrap token gets the first certificate, unless it says otherwise.
 *
 * @returns undefined where nothing stands in the way
 */
export function kubeletKeyObjection(
  { by, use, keyDigest, madeAt }: Pick<ParsedRequest, 'by' | 'use' | 'keyDigest' | 'madeAt'>,
  member: Member,
  members: Pick<Members, 'holderOf'>,
  directory: Pick<MachineDirectory, 'policiesOf'>,
): Verdict | undefined {
  if (use !== 'client') return undefined;
  const proved = members.holderOf(member)?.kubelet;
  if (!proved) {
    const demanding = directory
      .policiesOf(member)
      .filter(({ kubeletKeys: of }) => of === 'Proved' || (of === 'First' && by === 'bootstrap'));
    if (demanding.length === 0) return undefined;
    const names = demanding.map(({ name }) => name).join(', ');
    return wait(
      `its machine has not proved this key yet, as policy ${names} demands (slipway credential, or kubeletKeys: Any)`,
    );
  }
  if (proved.keyDigest !== keyDigest) return deny('its machine has proved another key than this one');
  const age = madeAt - Date.parse(proved.at);
  if (age <= KUBELET_KEY_MS + SKEW_MS) return undefined;
  return deny(
    `its machine proved this key ${Math.round(age / 60_000)} minutes before, and a key counts for ${KUBELET_KEY_MS / 60_000}`,
  );
}
