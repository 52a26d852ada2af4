/**
 * What a node is given around kubeadm: kernel, proxies, container runtime, static pods, patches. See docs/node.md.
 *
 * Part of the document; it comes from the `slipway` key of user data and from the files of /etc/slipway.
 */
import type { Sensitive } from '../../kit/sensitive.ts';

export interface NodeSettings {
  kernel?: KernelSettings;
  proxy?: ProxySettings;
  containerd?: ContainerdSettings;
  kubeadm?: KubeadmAdditions;
}

export interface KernelSettings {
  /** Names, loaded now and at every boot. */
  modules: string[];
  /** By name with dots, such as `net.ipv4.ip_forward`; set now and at every boot. */
  sysctls: Record<string, string>;
}

export interface ProxySettings {
  /** URLs; a proxy's user name and password may be in them. */
  http?: Sensitive<string>;
  https?: Sensitive<string>;
  /** Hosts, domains and networks that are reached directly, besides what Slipway adds by itself. */
  except: string[];
}

export interface ContainerdSettings {
  cgroupDriver?: 'systemd' | 'cgroupfs';
  sandboxImage?: string;
  registries: RegistrySettings[];
}

export interface RegistrySettings {
  /** As in the names of images: `docker.io`, `registry.example:5000`; `_default` stands for all others. */
  host: string;
  /** Where it really is, when its name does not tell. */
  server?: string;
  /** Certificates in PEM; they take the place of the well-known authorities. */
  ca?: string;
  skipVerify: boolean;
  /** Asked in this order, before the registry itself. */
  mirrors: MirrorSettings[];
}

export interface MirrorSettings {
  url: string;
  ca?: string;
  skipVerify: boolean;
  /** The URL's path is the whole root of the API; no /v2 is added. */
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
