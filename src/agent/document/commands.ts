/** What of the document runs: units of systemd, and commands, kubeadm's among them. */
import type { Sensitive } from '../../secrets/sensitive.ts';
import type { NodeLabel } from './node-settings.ts';
import type { Position } from './position.ts';

/** A shell line, or an argument vector that runs without a shell. */
export interface Command {
  kind: 'command';
  /** As it stands in the script of all commands of its list. */
  shell: Sensitive<string>;
  /** First word, for people; it holds no argument. */
  program: string;
  where?: Position;
}

/**
 * The line that Cluster API's kubeadm provider writes:
 * `kubeadm init|join --config FILE [--v N] && echo success > SENTINEL`, also behind variables, `env` and `sudo`.
 */
export interface KubeadmCommand {
  kind: 'kubeadm';
  verb: 'init' | 'join';
  /** Everything after the verb; may hold a token. */
  args: Sensitive<string[]>;
  /** Variables that the line sets for kubeadm, as `NAME=value`; may hold the password of a proxy. */
  environment?: Sensitive<string[]>;
  /** kubeadm gets no variable that commands before it have exported: the line calls it by sudo. */
  withoutExports?: true;
  /** The path behind `--config`, if given. */
  configPath?: string;
  /** `host:port` of API servers to try instead of the configured one; those that answer come first. */
  endpoints?: string[];
  /** The kubelet registers with these; their values are computed just before. */
  labels?: NodeLabel[];
  /** Directory of patches, if the configuration names none. */
  patches?: string;
  /** The sentinel of the line's `&& echo success > ...` part, if it has one. */
  sentinel?: string;
  where?: Position;
}

export interface UnitEntry {
  name: string;
  /** The unit's own file below /etc/systemd/system, if it is to have one. */
  content?: Sensitive<string>;
  dropIns: { name: string; content: Sensitive<string> }[];
  /** By a preset; absent: as the machine's presets have it. */
  enabled?: boolean;
  masked?: boolean;
  where?: Position;
}

/** Names of units by their relation to one: what must be up, what may be, what goes first if it runs at all. */
export interface UnitNeeds {
  requires: string[];
  wants: string[];
  after: string[];
}
