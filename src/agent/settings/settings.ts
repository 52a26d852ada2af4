import type { Sensitive } from '../../secrets/sensitive.ts';

/** What both kinds of server need that are reached over a network. */
export interface ServerSettings {
  /** PEM of the authorities that may have signed the server's certificate; the well-known ones where absent. */
  ca?: string;
  proxy?: { https?: string; http?: string; except?: string };
}

export interface ControllerSettings extends ServerSettings {
  /** URLs, `https://`; the reporter asks the next one when one does not answer. */
  endpoints: string[];
  token?: Sensitive<string>;
  tokenFile?: string;
  /** The TPM's device: the machine enrols by it, and by no token. */
  tpm?: string;
  /** The kubelet gets its certificates by proofs of the TPM (`slipway credential`). */
  kubelet?: boolean;
}

/** A server that takes what is posted to it. */
export interface ReceiverSettings extends ServerSettings {
  /** `https://` or `http://`. */
  url: string;
  headers: Record<string, Sensitive<string>>;
}

/** `auto`: on if the machine has what it needs. */
export type Switch = 'auto' | 'on' | 'off';

/** How a machine reports. Nothing goes over the network unless controller, webhook or otlp are set. */
export interface Settings {
  enabled: boolean;
  /** The reporter ends if nothing begins to bootstrap this machine for this long. */
  idleSeconds: number;
  /** Watch the Node with the kubelet's own credentials, after the bootstrap, for at most so long. 0: not at all. */
  nodeSeconds: number;
  /** Also tell serial numbers, UUIDs and MAC addresses. */
  identifiers: boolean;
  providerID?: string;
  controller?: ControllerSettings;
  webhook?: ReceiverSettings;
  /** A collector of OpenTelemetry. */
  otlp?: ReceiverSettings;
  /** A path writes to that device. */
  console: Switch | `/${string}`;
  journal: Switch;
  hyperv: Switch;
  vmware: Switch;
}

/** Some of the settings, as one file has them. */
export type PartialSettings = Partial<Omit<Settings, 'controller' | ReceiverName>> & {
  controller?: Partial<ControllerSettings> & { caFile?: string };
} & { [name in ReceiverName]?: PartialReceiver };

export type PartialReceiver = Partial<ReceiverSettings> & { caFile?: string };

/** Each with the setting that holds its URL. */
export const RECEIVERS = { webhook: 'url', otlp: 'endpoint' } as const;
export type ReceiverName = keyof typeof RECEIVERS;

export const DEFAULT_SETTINGS: Settings = {
  enabled: true,
  idleSeconds: 30 * 60,
  nodeSeconds: 20 * 60,
  identifiers: false,
  console: 'auto',
  journal: 'auto',
  hyperv: 'auto',
  vmware: 'auto',
};

/** Something in the configuration that cannot be used. */
export interface ConfigProblem {
  /** File, or `kernel command line`. */
  source: string;
  line?: number;
  column?: number;
  message: string;
  /** An error's setting is as if it were not given; a warning names what has no effect. */
  severity: 'error' | 'warning';
}

export function describeProblem({ source, line, column, message, severity }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}:${column ?? 1}`;
  return `${place}: ${severity === 'warning' ? 'warning: ' : ''}${message}`;
}
