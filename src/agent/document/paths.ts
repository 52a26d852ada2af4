/**
 * Well-known paths. They are part of the contract with Cluster API, with operating-system images and with
 * whoever waits for a machine, so they stand in one place. All are as seen from the machine's own root.
 */

/** Cluster API's bootstrap sentinel: exactly `success\n`, only after kubeadm succeeded (contract, "Sentinel file"). */
export const SENTINEL = '/run/cluster-api/bootstrap-success.complete';

/** Where the binary lies in a machine image; the unit files of systemd/ name it too. */
export const BINARY = '/usr/local/bin/slipway';

/** Slipway's volatile state; a tmpfs, so it is gone after a reboot. */
export const RUN_DIR = '/run/slipway';

/** The verdict, written on success and on failure, so that nobody who waits can hang. */
export const OUTCOME = `${RUN_DIR}/outcome.json`;

/** Everything Slipway keeps across reboots. */
export const STATE_DIR = '/var/lib/slipway';

/** The journal: append-only JSON lines, mode 0600, the only truth on the node. */
export const JOURNAL = `${STATE_DIR}/journal.jsonl`;

/** What the reporter keeps across reboots: events not yet acknowledged, and how far each receiver is. Mode 0700. */
export const REPORT_DIR = `${STATE_DIR}/report`;

/** The machine's own key and certificate for the controller. Mode 0700. */
export const IDENTITY_DIR = `${STATE_DIR}/identity`;

/** Settings of the machine: the image's own, the operator's, and those that user data brings. */
export const CONFIG_FILES = {
  image: '/usr/lib/slipway/config.yaml',
  machine: '/etc/slipway/config.yaml',
  dropIns: '/etc/slipway/config.d',
} as const;

/** What the node is given around kubeadm; user data of Cluster API can bring these files, and an image can have them. */
export const NODE_FILES = {
  machine: '/etc/slipway/node.yaml',
  dropIns: '/etc/slipway/node.d',
} as const;

/** Patches for kubeadm, where its configuration names no other directory. */
export const PATCHES_DIR = '/etc/kubernetes/patches';

/** Proxy settings for the kubelet, the container runtime, kubeadm and Slipway's reporter; mode 0600. */
export const PROXY_FILE = '/etc/slipway/proxy.env';

/** Everything a person needs for support, made when a bootstrap has failed for good; mode 0600. */
export const SUPPORT_FILE = `${STATE_DIR}/support.tar.zst`;
