import { canonicalIp } from '../../pki/alternative-names.ts';
import type { Machine, MachineObject, MachineVersion } from '../machines/machine.ts';
import { readMachine } from '../machines/machine.ts';

export interface Address {
  readonly type: string;
  readonly address: string;
}

/** The parts of a Machine that an approver reads. */
export interface AddressedMachine extends MachineObject {
  status?: MachineObject['status'] & { addresses?: Address[] };
}

/** A Machine with what its infrastructure provider says of its addresses. */
export interface Member extends Machine {
  /** Host names, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** As `canonicalIp` writes them. */
  readonly ips: ReadonlySet<string>;
}

export function readMember(object: AddressedMachine, version: MachineVersion): Member {
  return { ...readMachine(object, version), ...addressesOf(object.status?.addresses) };
}

/** The addresses of a Machine or a Node: both have them in one form. */
export function addressesOf(addresses: readonly Address[] = []): Pick<Member, 'hosts' | 'ips'> {
  const hosts = new Set<string>();
  const ips = new Set<string>();
  for (const { address } of addresses) {
    const ip = canonicalIp(address);
    if (ip === undefined) hosts.add(address.toLowerCase());
    else ips.add(ip);
  }
  return { hosts, ips };
}
