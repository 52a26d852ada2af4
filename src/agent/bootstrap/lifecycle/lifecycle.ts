/** What a start of the agent finds on this machine, and what it does then: the one place where that is decided. */

/** What a start was asked for; `retry` is `--again` where the journal shows a bootstrap that has not succeeded. */
export type Asked = 'boot' | 'retry' | 'again' | 'shim';

/** What it finds: the first that is true. */
export const STATES = {
  'unusable-on-node':
    'User data that cannot be acted upon (missing, wrong, on a volume that did not make the node), on a node of this instance',
  unusable: 'User data that cannot be acted upon, on any other machine',
  'cut-off': 'A bootstrap has begun and has no verdict yet: the agent or the machine was stopped',
  failed: 'A bootstrap has ended without success, and none has succeeded since for that instance',
  wiped: 'A bootstrap has succeeded, and the user data has lost its secrets since',
  'shim-only': 'No bootstrap has succeeded, and the last run was a call of the kubeadm shim',
  untouched: 'No bootstrap has run, or none since the node was reset',
  'other-instance': 'A bootstrap has succeeded, for another instance',
  'node-gone': 'A bootstrap has made a node, and what kubeadm had made is gone',
  same: 'A bootstrap has succeeded with these user data',
  changed: 'A bootstrap has succeeded, the machine is a node, and steps of the user data are new or changed',
  resumable:
    'A bootstrap has succeeded. Since then `--again` or kubeadm was cut off, or only what every boot follows has changed, or nothing shows that the machine is a node',
} as const;

export type State = keyof typeof STATES;

export const ACTIONS = {
  run: 'Runs the steps that are not done, by the journal and by their proofs',
  retry: 'As `run`, and the steps that have failed are run again, commands too',
  apply: 'Runs what has changed and may be done twice',
  defer: 'Keeps the node: defers what has changed to `--again`, and runs only what belongs to every boot',
  keep: 'Keeps the node: runs nothing, and warns; the sentinel is put back',
  nothing: 'Runs nothing: nothing has changed',
  refuse: 'Runs nothing: the verdict says why',
} as const;

export type Action = keyof typeof ACTIONS;

/** Each row: at a boot, with `--again`, as the kubeadm shim. The shim is asked for one call of kubeadm, whatever the user data is. */
export const LIFECYCLE: Readonly<Record<State, readonly [boot: Action, again: Action, shim: Action]>> = {
  'unusable-on-node': ['keep', 'refuse', 'refuse'],
  unusable: ['refuse', 'refuse', 'refuse'],
  'cut-off': ['run', 'retry', 'run'],
  failed: ['run', 'retry', 'run'],
  wiped: ['run', 'refuse', 'run'],
  'shim-only': ['run', 'refuse', 'run'],
  untouched: ['run', 'refuse', 'run'],
  'other-instance': ['run', 'refuse', 'run'],
  'node-gone': ['run', 'refuse', 'run'],
  same: ['run', 'nothing', 'run'],
  changed: ['defer', 'apply', 'run'],
  resumable: ['run', 'apply', 'run'],
};

const COLUMN = { boot: 0, retry: 1, again: 1, shim: 2 } as const;

export const decide = (state: State, asked: Asked): Action => LIFECYCLE[state][COLUMN[asked]];
