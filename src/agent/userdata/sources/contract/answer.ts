import type { Code } from '../../../../protocol/codes/codes.ts';
import type { Diagnostic } from '../../../document/document.ts';
import type { Cloud, NetworkConfig } from '../../../platform/instance/instance.ts';
import type { OsFacts } from '../../../platform/instance/read-os-facts.ts';

/** A source's answer about this machine. */
export type SourceAnswer =
  /** Nothing here is this source's. `looked`: what was looked at, for a person. */
  | { kind: 'not-mine'; looked?: readonly string[] }
  /** `found`: what it tells of the machine all the same. */
  | { kind: 'empty'; source: string; found?: Found }
  /** The source is this machine's, and there is no route to it. */
  | { kind: 'needs-network'; source: string; reason: string }
  /** The source is this machine's, and does not answer yet: it starts late, or has too much to do. */
  | { kind: 'not-yet'; source: string; reason: string }
  /** The source is this machine's, and says no: another look will not help. */
  | { kind: 'refused'; source: string; reason: string }
  | ({ kind: 'found' } & Found);

/** User data with its metadata; fits `readUserData(found.userData, found)`. */
export interface Found {
  /** Name and place, e.g. `nocloud (/dev/sr0)`. */
  source: string;
  /** What made this machine the source's, e.g. `sys_vendor is Hetzner`. */
  recognised?: string;
  userData: Buffer;
  /** The source that everything about the instance is from, where another one gave the user data. */
  metadataOf?: string;
  /** With `instance-id` and `local-hostname`, as cloud-init's datasource has them. */
  metaData: Record<string, unknown>;
  /** cloud-init's variable `ds`, where it is not `{meta_data: metaData}`. */
  ds?: Record<string, unknown>;
  cloud?: Cloud;
  networkConfig?: NetworkConfig;
  vendorData?: Buffer;
  /** The cloud's own names of disks, with the device behind each. */
  deviceAliases?: Readonly<Record<string, string>>;
  system?: OsFacts;
  /** What was wrong with the metadata. */
  remarks?: Diagnostic[];
  /** A volume has a part in them. Who may write to a disk of the machine, as a pod may to a volume of its own, can label it so. */
  fromVolume?: true;
  /** By what the volume is known again, where its user data lies on a server that it names; else `userData`. */
  volumeSays?: Uint8Array;
  /** What the source wants done about its user data. A plan runs none. */
  callbacks?: readonly SourceCallback[];
}

/** A callback to the source: what its platform waits for, or what is to be deleted there. */
export interface SourceCallback {
  /** As soon as the user data was read, or when its work was done and succeeded. */
  when: 'read' | 'succeeded';
  /** For people: "report to Azure that ...". */
  title: string;
  /** The finding where it cannot be done; default `SourceNotServed`. */
  code?: Code;
  /** @throws HostError or SourceError where it cannot be done */
  run(): Promise<void>;
}

export function found(data: Found): SourceAnswer {
  return data.userData.length === 0
    ? { kind: 'empty', source: data.source, found: data }
    : { kind: 'found', ...data };
}

/** What a source tells, user data or not. */
export function foundIn(answer: SourceAnswer): Found | undefined {
  return answer.kind === 'empty' ? answer.found : answer.kind === 'found' ? answer : undefined;
}
