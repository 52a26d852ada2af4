/** Codes for a machine's own proofs: its TPM, and what ties it to its Machine. */
import { type CodeEntry, entry } from './entry.ts';

export const identityCodes = () =>
  ({
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
      'Remove the password (tpm2_changeauth). Clear the TPM in the firmware only if nothing needs its keys any more: that destroys all of them, those of disk encryption too.',
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
      "The TPM's answer was changed on its way: somebody or something between the processor and the TPM does that.",
      'Let it do no work, and look at its hardware; of a virtual machine, at its host and the program that is its TPM. Where it comes once and never again, a bad connection may be the reason.',
    ),
    TpmFailed: entry(
      'identity',
      'transient',
      'The TPM does not answer as a TPM 2.0 should.',
      'Read the cause, boot again, try tpm2_selftest and tpm2_getcap properties-fixed, and update its firmware. Replace it last: its keys go with it, those of disk encryption too.',
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
    UserDataSealed: entry(
      'identity',
      'permanent',
      'The user data is sealed, and only slipway bootstrap on the machine itself opens them.',
      'Look at what was sealed before it was (slipway check and slipway plan take a file), or run slipway bootstrap on its machine.',
    ),
    SealedDataUnreachable: entry(
      'identity',
      'until-deadline',
      'What the sealed user data needs does not answer: the controller, or the server where the sealed part lies.',
      'Look at the address that the cause names, at routes, DNS and the clock; slipway-controller must know the authority that the stub or report.controller.ca names. Slipway asks again until its deadline.',
    ),
    SealedDataRefused: entry(
      'identity',
      'until-deadline',
      'The controller does not believe that this machine is the one that the user data was sealed for.',
      "Name the machine's TPM on its Machine (slipway.dev/endorsement-key; slipway identity prints the key), or give it its Machine's own token. Slipway asks again until its deadline.",
    ),
    SealedDataMissing: entry(
      'identity',
      'until-deadline',
      "The controller has nothing that was sealed for this machine's Machine.",
      'Seal it: slipway-controller seal --machine NAME. Slipway asks again until its deadline.',
    ),
    SealedDataMismatch: entry(
      'identity',
      'permanent',
      'The sealed part is not the one that the stub in the user data names: it was changed, cut off, or sealed again since.',
      'Give the machine the stub that the last slipway-controller seal printed. If nobody sealed anew, find out who changed the user data or the sealed part.',
    ),
    SealedDataExpired: entry(
      'identity',
      'permanent',
      'The sealed user data count no longer.',
      'Seal them again with a fresh join token, with a longer --expires if the machine boots later; check its clock.',
    ),
    SealedDataTaken: entry(
      'identity',
      'permanent',
      'The sealed user data was given out before, to a machine that cannot prove itself anew.',
      'Seal them again. A machine with a TPM (slipway.dev/endorsement-key on its Machine) may come again; if nobody installed this one anew, find out who took them.',
    ),
    SealedDataForeign: entry(
      'identity',
      'permanent',
      "The user data was sealed for another machine's TPM.",
      'Seal them for this machine (slipway identity --output json, then slipway-controller seal --machine NAME --for FILE); check whose user data these are.',
    ),
    NodePending: entry(
      'identity',
      'until-deadline',
      'The machine proved itself, and a policy wants somebody to admit it.',
      'Admit it (slipway-controller nodes admit NAME), or quarantine it; slipway-controller nodes shows who waits.',
    ),
    NodeQuarantined: entry(
      'identity',
      'until-deadline',
      'Somebody quarantined the machine: it gets no secret and no certificate.',
      'Find out why; slipway-controller nodes admit NAME ends it.',
    ),
    CredentialUnavailable: entry(
      'identity',
      'transient',
      "The kubelet's certificate cannot be had or renewed at present.",
      'Look at what the cause names: the controller or the API server does not answer, or nobody has approved the request (kubectl get csr; slipway-controller approve says why in its log). The next call asks again.',
    ),
    CredentialRefused: entry(
      'identity',
      'transient',
      'This machine may not have the certificate of a kubelet.',
      'Read the reason; see the NodeBootstrap (slipway-controller nodes) and the request (kubectl get csr). It can have one when it is admitted, or its Machine is put right.',
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
    TpmStateWentBack: entry(
      'identity',
      'permanent',
      "The TPM's counters are lower than in an earlier proof: its state was put back, as with a snapshot of a virtual machine, or it was cleared.",
      'If somebody did that on purpose, let the machine prove itself anew (slipway-controller nodes release NAME); else find out who can put it back, and which secrets it had.',
    ),
    EndorsementKeyUntrusted: entry(
      'identity',
      'permanent',
      "The machine's TPM is neither in the list of the policy nor certified by a maker that it trusts; or the policy demands registers of a key for which nobody vouches.",
      'Compare the key with slipway identity on the machine; name it on the Machine (slipway.dev/endorsement-key), or add it, or the certificate of its maker, to the NodeIdentityPolicy.',
    ),
    EnrolmentTooLate: entry(
      'identity',
      'permanent',
      'The machine enrols for the first time when its Machine is older than the policy allows, or has a Node already.',
      "Name the machine's TPM on its Machine (slipway.dev/endorsement-key), or make the window of the NodeIdentityPolicy longer. Replace the Machine only where it does no work yet.",
    ),
    ReferenceMachineUnknown: entry(
      'identity',
      'transient',
      'The policy compares boot states with those of a Machine that has not proved itself by its TPM.',
      'Let the reference Machine enrol first, by a TPM that is named for it (slipway.dev/endorsement-key), or name another one in registers.reference of the NodeIdentityPolicy.',
    ),
    IdentityPolicyInvalid: entry(
      'identity',
      'transient',
      'A NodeIdentityPolicy that selects the Machine cannot be kept by anybody, so no machine is let in.',
      'Its status says what is wrong (kubectl get nodeidentitypolicies).',
    ),
  }) satisfies Record<string, CodeEntry>;
