import { ExpectedError } from '../../kit/errors.ts';
import type { Rules } from '../approve/judge.ts';
import type { Level } from '../log.ts';

/** The settings of `serve`; every field is an option of the command line. */
export interface ServeSettings {
  /** Where machines report. */
  readonly listen: Listen;
  /** Metrics, over plain HTTP. */
  readonly adminListen: Listen;
  /** Probes, over plain HTTP. */
  readonly probeListen: Listen;
  /** Names and addresses by which machines reach it; they go into its own certificate. */
  readonly names: readonly string[];
  /** PEM files of a foreign certificate; looked at again from time to time. */
  readonly tlsFiles?: { readonly cert: string; readonly key: string };
  /** Connections of strangers. */
  readonly connectionsPerAddress: number;
  readonly connectionsTotal: number;
  /** Requests of strangers per address; four times as many new connections, of one address and of all. */
  readonly strangersPerSecond: number;
  readonly certificateMs: number;
  /** How often machines whose bootstrap is over check in; 0: not at all. */
  readonly checkInSeconds: number;
  /** Stores serial numbers, UUIDs and MAC addresses that machines tell. */
  readonly keepsIdentifiers: boolean;
  readonly logLevel: Level;
}

export interface KubernetesSettings extends ServeSettings {
  readonly kubeconfig?: string;
  /** Namespace of the controller's own objects; default: the access's. */
  readonly namespace?: string;
  /** How long a node without a Machine is kept. */
  readonly untiedMs: number;
}

/** The settings of `mint`. */
export interface MintSettings {
  readonly kubeconfig?: string;
  /** Namespace of the controller's own objects; default: the access's. */
  readonly namespace?: string;
  readonly tokenMs: number;
}

/** The settings of `webhook`. */
export interface WebhookSettings {
  readonly kubeconfig?: string;
  /** Namespace of the controller's own objects; default: the access's. */
  readonly namespace?: string;
  readonly listen: Listen;
  /** Metrics and probes, over plain HTTP. */
  readonly adminListen: Listen;
  readonly probeListen: Listen;
  /** Where machines report. */
  readonly endpoints: readonly string[];
  /** User names of those who write bootstrap data. */
  readonly writers: readonly string[];
  /** Kinds of bootstrap configs, each as `Kind.group`. */
  readonly kinds: readonly string[];
}

/** The settings of `approve`. */
export interface ApproveSettings {
  /** The cluster that has the Machines. */
  readonly kubeconfig?: string;
  /** Only this Cluster of it (`namespace/name`), and how to reach that; default: as a pod in it. */
  readonly cluster?: { readonly key: string; readonly kubeconfig?: string };
  /** Metrics and probes, over plain HTTP, where somebody wants to ask for them. */
  readonly adminListen?: Listen;
  readonly probeListen?: Listen;
  /** Else: Secrets of this ending have the kubeconfigs of its Clusters. */
  readonly suffix: string;
  /** Proxies that these kubeconfigs may name, each as `scheme://host:port`. */
  readonly allowedProxies: readonly string[];
  readonly rules: Rules;
}

export interface StandaloneSettings extends ServeSettings {
  /** Directory of the database. */
  readonly data: string;
}

export interface Listen {
  readonly host?: string;
  readonly port: number;
}

/** `8443`, `:8443`, `10.0.0.1:8443`, `[::1]:8443`. @throws Error with a sentence */
export function parseListen(text: string): Listen {
  const match = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]*):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (!match || port > 65_535)
    throw new ExpectedError(`${text} is no address to listen on; write :8443 or 10.0.0.1:8443`);
  const host = match[1]?.replace(/^\[|\]$/g, '');
  return { port, ...(host ? { host } : {}) };
}
