import type { NetworkConfig } from '../../../platform/instance/instance.ts';
import type { PlatformInfo } from '../../../platform/platform-info.ts';
import type { Found, SourceAnswer } from '../contract/answer.ts';
import type { DatasourceSettings } from './datasource-settings.ts';

/** What a source gets to do its work. */
export interface SourceContext {
  machine: PlatformInfo;
  settings: DatasourceSettings;
  /** How long one request may be tried for in all. */
  patienceMs: number;
  /** Somebody named this source; it does not have to be recognised. */
  isChosen: boolean;
  /** Tells of a network configuration that lies on the machine, before the source asks anybody over the network. */
  offerNetwork(config: NetworkConfig): void;
  /** Says why nothing is to be taken of what a volume has a part in; asked before a request that the volume causes. */
  refuse?(found: Found): Promise<unknown>;
}

/** @throws HostError if it is there but unreadable. @throws SourceError if it is there and gives nothing */
type ReadSource = (context: SourceContext) => Promise<SourceAnswer>;

/** A source as the table of sources has it. */
export interface SourceRow {
  /** Slipway's name: of `--source`, of messages, of `v1.platform`. */
  name: string;
  /** cloud-init's name in `datasource_list`; absent where cloud-init has no such source. */
  datasource?: string;
  /**
   * How this machine shows that it is the source's, in words such as `sys_vendor is Hetzner`; undefined if it does not.
   * Opens no connection. Absent: only reading tells.
   */
  recognise?(machine: PlatformInfo, settings: DatasourceSettings): Promise<string | undefined>;
  /** Loads the reader. */
  load(): Promise<ReadSource>;
}
