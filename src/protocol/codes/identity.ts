/** Codes for a machine's own proofs: its TPM, and what ties it to its Machine. */
import { type CodeEntry, entry } from './entry.ts';

export const IDENTITY_CODES = {
  TpmAbsent: entry(
    'identity',
    'until-deadline',
    'This machine has no TPM 2.0 that Slipway can reach.',
    'Switch it on in the firmware or give the virtual machine one; look for /dev/tpmrm0 and for the driver (dmesg | grep -i tpm).',
  ),
  TpmSwitchedOff: entry(
    'identity',
    'permanent',
    "The TPM is there, but the machine's firmware has switched it off or did not start it.",
    'Enable the TPM and its endorsement hierarchy in the firmware (security device, PTT or fTPM), then boot again.',
  ),
  TpmLockedOut: entry(
    'identity',
    'transient',
    'The TPM is locked out after too many failed authorizations.',
    'Wait until its recovery time has passed (tpm2_getcap properties-variable), or clear the lock-out with its own password.',
  ),
  TpmPasswordSet: entry(
    'identity',
    'permanent',
    "Somebody set a password for the TPM's endorsement or owner hierarchy, so Slipway cannot use its keys.",
    'Remove the password (tpm2_changeauth), or clear the TPM in the firmware.',
  ),
  TpmBootStateChanged: entry(
    'identity',
    'permanent',
    'The machine booted into another state than the one that a secret was sealed to, or that a policy wants.',
    'If the change was wanted (firmware, boot loader, kernel), seal the secret anew and put the new values into the NodeIdentityPolicy; else find out what changed.',
  ),
  TpmTampered: entry(
    'identity',
    'permanent',
    "The TPM's answer was changed on its way: somebody sits between the processor and the TPM.",
    'Take the machine out of service and look at its hardware.',
  ),
  TpmFailed: entry(
    'identity',
    'transient',
    'The TPM does not answer as a TPM 2.0 should.',
    'Read the cause; try tpm2_selftest and tpm2_getcap properties-fixed, update its firmware, or replace it.',
  ),
  SealedFileForeign: entry(
    'identity',
    'permanent',
    "A file of the user data was sealed for another machine's TPM.",
    'Seal it for this machine (slipway identity --output json, then slipway-controller seal); check whose user data this is.',
  ),
  SealedFileDamaged: entry(
    'identity',
    'permanent',
    'A sealed file of the user data was changed after it was sealed, is cut off, or was made for another path.',
    'Seal it again for the path where it lies, and copy the whole text with both its lines of dashes.',
  ),
  EndorsementKeyMismatch: entry(
    'identity',
    'permanent',
    "The TPM's endorsement key is not the one that its maker's certificate names.",
    'If its seed was changed on purpose, ask the maker for a new certificate; else take the machine out of service.',
  ),
  EndorsementKeyForeign: entry(
    'identity',
    'permanent',
    'A machine proved itself by a TPM that belongs to another Machine, or to another machine than the one before.',
    "If the board or its TPM was swapped, name the new key (slipway.dev/endorsement-key on the Machine) or free the Machine (slipway-controller nodes release); else somebody uses another machine's TPM.",
  ),
  EndorsementKeyUntrusted: entry(
    'identity',
    'permanent',
    "The machine's TPM is neither in the list of the policy nor certified by a maker that it trusts.",
    'Compare the key with slipway identity on the machine; add it, or the certificate of its maker, to the NodeIdentityPolicy.',
  ),
  EnrolmentTooLate: entry(
    'identity',
    'permanent',
    'The machine enrols for the first time when its Machine is older than the policy allows, or has a Node already.',
    "Make the window of the NodeIdentityPolicy longer, name the machine's TPM on its Machine, or replace the Machine.",
  ),
  ReferenceMachineUnknown: entry(
    'identity',
    'transient',
    'The policy compares boot states with those of a Machine that has not proved itself by its TPM.',
    'Let the reference Machine enrol first, or name another one in registers.reference of the NodeIdentityPolicy.',
  ),
  IdentityPolicyInvalid: entry(
    'identity',
    'transient',
    'A NodeIdentityPolicy that selects the Machine cannot be kept by anybody, so no machine is let in.',
    'Its status says what is wrong (kubectl get nodeidentitypolicies).',
  ),
} satisfies Record<string, CodeEntry>;
