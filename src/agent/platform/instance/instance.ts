import type { Diagnostic, InstanceData } from '../../document/document.ts';
import type { NetworkSettings } from '../../document/network-settings.ts';
import { INSTANCE_FILE } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';
import type { OsFacts } from './read-os-facts.ts';

/** What Slipway knows about the machine before it reads the user data. */
export interface Instance {
  /** The source's meta-data, e.g. NoCloud's `meta-data` file: `instance-id`, `local-hostname` ... */
  metaData: Record<string, unknown>;
  /** cloud-init's variable `ds`, where it is not `{meta_data: metaData}`. */
  ds?: Record<string, unknown>;
  /** Name of the source, e.g. `nocloud`. */
  source: string;
  /** What made this machine the source's, e.g. `sys_vendor is Hetzner`. */
  recognised?: string;
  cloud?: Cloud;
  networkConfig?: NetworkConfig;
  /** What this machine's network is to be, from wherever that was said. */
  network?: NetworkSettings;
  /** The cloud's own names of disks, such as `ephemeral0`, with the device behind each. */
  deviceAliases?: Readonly<Record<string, string>>;
  /** What cloud-init's jinja variables say of the system; without it they are undefined. */
  system?: OsFacts;
  /** Called where a template asks for what is known of the machine. */
  onTemplate?(): void;
  /** Slipway ignores vendor data and reports that if there is any. */
  vendorData?: Buffer;
  /** Warnings from reading the metadata; they come first in the report. */
  remarks?: Diagnostic[];
}

/** What a cloud says about the machine, in one shape for all clouds. */
export interface Cloud {
  /** cloud-init's `v1.cloud_name`, e.g. `aws`. */
  name: string;
  /** cloud-init's `v1.platform`, e.g. `ec2`. */
  platform: string;
  /** cloud-init's `v1.subplatform`, e.g. `metadata (http://169.254.169.254)`. */
  subplatform: string;
  /** `spec.providerID` of the Node as the cloud's cloud-provider writes it, e.g. `aws:///eu-west-1a/i-0abc`. */
  providerId?: string;
  /** The cloud's name of the machine's size, e.g. `m5.large`. */
  instanceType?: string;
  region?: string;
  zone?: string;
  /** The machine's own addresses, the first one being the primary. */
  addresses: readonly string[];
  /** SSH keys for the default user, in the form of authorized_keys. */
  publicKeys: readonly string[];
  /** Those that it gives by names of users; they count for the default user of that name. */
  keysByUser?: Readonly<Record<string, readonly string[]>>;
}

/** A network configuration that came along, unparsed; `place` names it for people. */
export interface NetworkConfig {
  format: 'cloud-init' | 'openstack';
  text: string;
  place: string;
  /** The text is a file of an image that says other things beside it. */
  isOneKeyOf?: true;
}

/** Keeps what the source said of the machine, for `slipway facts` and the reporter, in a place that a reboot empties. */
export async function saveInstance(host: Host, instance: InstanceData): Promise<void> {
  const { source, id, instanceType, region, zone, providerId } = instance;
  const kept = { source, id, instanceType, region, zone, providerId };
  try {
    await host.files.write(INSTANCE_FILE, `${JSON.stringify(kept)}\n`, { mode: 0o644, volatile: true });
  } catch (error) {
    // Nothing of the bootstrap rests on it, and a /run that takes nothing is told of elsewhere.
    if (!(error instanceof HostError)) throw error;
  }
}
