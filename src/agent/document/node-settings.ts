/**
 * The node's settings beside kubeadm: kernel, proxies, container runtime, static pods, patches. See
 * docs/node.md.
 *
 * They are a part of the document and come from the user data's `slipway` key and from files in /etc/slipway.
 */
import type { Sensitive } from '../../secrets/sensitive.ts';

export interface NodeSettings {
  kernel?: KernelSettings;
  proxy?: ProxySettings;
  containerd?: ContainerdSettings;
  kubeadm?: KubeadmAdditions;
  /** Labels that the Node is to register with. */
  labels?: NodeLabel[];
  expect?: Expectations;
  /** Where the secrets lie that the user data names. */
  secrets?: SecretSettings;
}

/** What the stores of secrets are asked with; see docs/secrets.md. */
export interface SecretSettings {
  /** Files with identities of age; default: /etc/slipway/age.key. */
  age?: { identities: string[] };
  /** `region`: where not the machine's own; `endpoint`: instead of the region's own, for all three services. */
  aws?: { region?: string; endpoint?: string };
  vault?: VaultSettings;
  /** The user-assigned identity, where a machine has several. */
  azure?: { clientId?: string };
}

/** A server of Vault or OpenBao, and one way to log in to it. */
export interface VaultSettings {
  /** `https://HOST:PORT`. */
  address: string;
  namespace?: string;
  /** PEM; replaces the well-known authorities. */
  ca?: string;
  appRole?: {
    mount: string;
    roleId: string;
    /** One of these: as it is, in a file of the machine, or as a wrapping token that gives it once. */
    secretId?: Sensitive<string>;
    secretIdFile?: string;
    wrappedSecretId?: Sensitive<string>;
  };
  /** A certificate of the machine and its key, as files in PEM. */
  certificate?: { mount: string; role?: string; certificateFile: string; keyFile: string };
  tokenFile?: string;
}

export interface NodeLabel {
  key: string;
  /** A jinja template about `facts`, or a plain value. */
  template: string;
  where?: { line: number; column: number };
}

export interface KernelSettings {
  /** Names of modules to load now and at every boot. */
  modules: string[];
  /** Values by dotted name, such as `net.ipv4.ip_forward`, to set now and at every boot. */
  sysctls: Record<string, string>;
}

export interface ProxySettings {
  /** URLs, possibly with user name and password. */
  http?: Sensitive<string>;
  https?: Sensitive<string>;
  /** Hosts, domains and networks to reach without the proxy; Slipway adds some of its own. */
  except: string[];
}

export interface ContainerdSettings {
  cgroupDriver?: 'systemd' | 'cgroupfs';
  sandboxImage?: string;
  registries: RegistrySettings[];
}

export interface RegistrySettings {
  /** As in image names: `docker.io`, `registry.example:5000`. `_default` stands for all others. */
  host: string;
  /** The registry's URL, if its name does not tell. */
  server?: string;
  /** Certificates in PEM; they replace the well-known authorities. */
  ca?: string;
  skipVerify: boolean;
  /** In the order in which the runtime asks them, before the registry itself. */
  mirrors: MirrorSettings[];
}

export interface MirrorSettings {
  url: string;
  ca?: string;
  skipVerify: boolean;
  /** The URL's path is the API's whole root; the runtime adds no /v2. */
  overridePath: boolean;
  capabilities: ('pull' | 'resolve' | 'push')[];
}

export interface KubeadmAdditions {
  staticPods: NamedText[];
  patches: NamedText[];
}

export interface NamedText {
  /** File name without a directory. */
  name: string;
  content: Sensitive<string>;
}

/** What the machine is to be, as `slipway: {expect: ...}` says. */
export interface Expectations {
  /** A machine that is otherwise is refused, or warned of. */
  unmet: 'fail' | 'warn';
  numbers: NumberExpectation[];
  words: WordExpectation[];
  /** Each entry is to be met by a disk of its own. */
  disks: DiskExpectation[];
  /** Words that the models are to have in them, in any case; each by a GPU of its own. */
  gpuModels: string[];
}

export const EXPECTED_NUMBERS = ['memory', 'cpus', 'cores', 'sockets', 'gpus', 'numaNodes'] as const;
export const EXPECTED_WORDS = ['architecture', 'virtualisation', 'firmware', 'secureBoot', 'tpm'] as const;

export interface Comparison {
  op: '>=' | '<=' | '>' | '<' | '=';
  /** Bytes where it is a size. */
  value: number;
  /** As it was written. */
  text: string;
}

interface NumberExpectation extends Comparison {
  what: (typeof EXPECTED_NUMBERS)[number];
  where?: { line: number; column: number };
}

interface WordExpectation {
  what: (typeof EXPECTED_WORDS)[number];
  value: string;
  where?: { line: number; column: number };
}

export interface DiskExpectation {
  size?: Comparison;
  rotational?: boolean;
  model?: string;
}
