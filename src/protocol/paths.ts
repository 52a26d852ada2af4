/**
 * Well-known paths. They are part of the contract with Cluster API, with operating-system images and with
 * whoever waits for a machine, so they stand in one place. All are as seen from the machine's own root.
 */

/** Cluster API's bootstrap sentinel: exactly `success\n`, only after kubeadm succeeded (contract, "Sentinel file"). */
export const SENTINEL = '/run/cluster-api/bootstrap-success.complete';

/** Slipway's volatile state; a tmpfs, so it is gone after a reboot. */
export const RUN_DIR = '/run/slipway';

/** The verdict, written on success and on failure, so that nobody who waits can hang. */
export const OUTCOME = `${RUN_DIR}/outcome.json`;

/** Everything Slipway keeps across reboots. */
export const STATE_DIR = '/var/lib/slipway';

/** The journal: append-only JSON lines, mode 0600, the only truth on the node. */
export const JOURNAL = `${STATE_DIR}/journal.jsonl`;
