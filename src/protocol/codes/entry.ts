/** The shape of an entry in the table of codes. */

type Category =
  | 'user data'
  | 'preflight'
  | 'runtime'
  | 'image'
  | 'network'
  | 'discovery'
  | 'credentials'
  | 'kubelet'
  | 'control plane'
  | 'etcd'
  | 'node'
  | 'identity'
  | 'agent';

/**
 * `transient`: another attempt soon may succeed. `permanent`: the same input fails again on the same machine.
 * `until-deadline`: the failure cannot be distinguished from "not yet", so Slipway retries until the deadline.
 */
export type Persistence = 'transient' | 'permanent' | 'until-deadline';

/**
 * Who can cure a failure. `this-machine`: a retry, reboot or repair here. `another-machine`: a replacement from the same template.
 * `template`: a change to user data, machine template or image, because each machine of the group fails likewise. `cluster`: the
 * operator of the workload or management cluster. `cloud`: the infrastructure, such as metadata service, network or disks.
 *
 * People read it; nothing acts on it yet. Where two are possible, an entry has the one that does less harm if something does.
 */
export type Curer = 'this-machine' | 'another-machine' | 'template' | 'cluster' | 'cloud';

/** What the table says of a code in general; a failure's own `cause` and `remedy` name the particulars. */
export interface CodeEntry {
  category: Category;
  persistence: Persistence;
  /** One sentence. A failure without a cause of its own has it as its `cause`. */
  meaning: string;
  /** One sentence: what happens to the machine, and whether Slipway retries. */
  impact: string;
  /** In the imperative. A failure without a remedy of its own has it as its `remedy`. */
  fix: string;
  /** One sentence: a command, and what it shows once the failure is fixed. */
  check: string;
  cure: { who: Curer; why: string };
  /** It is never the reason for a failed bootstrap: it is only listed as a finding, and Slipway continues. */
  onlyFinding?: true;
}

/** Checks the rows without narrowing their values, and keeps their names as a type. */
export const tableOf = <Name extends string>(rows: Record<Name, CodeEntry>): Record<Name, CodeEntry> => rows;
