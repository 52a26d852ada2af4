/**
 * Well-known paths, seen from the machine's own root. They are part of the contract with Cluster API, with
 * operating-system images and with whoever waits for a machine, so they all stand here.
 */

/** Cluster API's bootstrap sentinel: exactly `success\n`, written only after kubeadm has succeeded. */
export const SENTINEL = '/run/cluster-api/bootstrap-success.complete';

/** Where machine images hold the binary; the unit files in systemd/ name this path too. */
export const BINARY = '/usr/local/bin/slipway';

/** The folder of the shim on Windows, `kubeadm.exe`; it stands first in the machine's PATH. */
export const WINDOWS_SHIM = 'C:\\Program Files\\Slipway\\shim';

/** Slipway's volatile state. It is a tmpfs, so a reboot empties it. */
export const RUN_DIR = '/run/slipway';

/** The verdict. Slipway writes it after success and failure, so that whoever waits never hangs. */
export const OUTCOME = `${RUN_DIR}/outcome.json`;

/** What the source of user data said of this machine, for those who ask later; it holds no secret. */
export const INSTANCE_FILE = `${RUN_DIR}/instance.json`;

/** Everything Slipway keeps across reboots. */
export const STATE_DIR = '/var/lib/slipway';

/** The verdict where /run has no place for it; it counts in the boot that it names. */
export const OUTCOME_ASIDE = `${STATE_DIR}/outcome.json`;

/** The journal: append-only JSON lines, mode 0600, the node's only source of truth. */
export const JOURNAL = `${STATE_DIR}/journal.jsonl`;

/** The reporter's state across reboots: unacknowledged events and each receiver's progress. Mode 0700. */
export const REPORT_DIR = `${STATE_DIR}/report`;

/** There while the controller wants check-ins: slipway-checkin.path waits for it. Mode 0600. */
export const CHECKIN_FILE = `${STATE_DIR}/checkin.json`;

/** The machine's own key and certificate for the controller; mode 0700. */
export const IDENTITY_DIR = `${STATE_DIR}/identity`;

/** The kubelet's key and certificate where `slipway credential` has got them; mode 0700. */
export const CREDENTIAL_DIR = `${STATE_DIR}/credential`;

/** Has the kubelet call `slipway credential`. */
export const KUBELET_DROP_IN = '/etc/systemd/system/kubelet.service.d/20-slipway-credential.conf';

/** The machine's settings: from the image, the operator and user data. */
export const CONFIG_FILES = {
  image: '/usr/lib/slipway/config.yaml',
  machine: '/etc/slipway/config.yaml',
  dropIns: '/etc/slipway/config.d',
} as const;

/** The node's settings beside kubeadm; they come from the image or from user data. */
export const NODE_FILES = {
  machine: '/etc/slipway/node.yaml',
  dropIns: '/etc/slipway/node.d',
} as const;

/** Patches for kubeadm, unless its configuration names another directory. */
export const PATCHES_DIR = '/etc/kubernetes/patches';

/** The static pod of a control plane's API server, as kubeadm writes it. */
export const API_SERVER_MANIFEST = '/etc/kubernetes/manifests/kube-apiserver.yaml';

/** Proxy settings for the kubelet, the container runtime, kubeadm and Slipway's reporter; mode 0600. */
export const PROXY_FILE = '/etc/slipway/proxy.env';

/** What user data include once: kept for the next boots, mode 0600. */
export const INCLUDES_DIR = `${STATE_DIR}/includes`;

/** Which user data was wiped, by its SHA-256 without its secrets: it never counts as new. Mode 0600. */
export const WIPED_NOTE = `${STATE_DIR}/wiped.json`;

/**
 * The instance that this machine was bootstrapped for, with its machine id, where the journal does not say so: `--again` had nothing to do, or an
 * older release noted it. Mode 0600.
 */
export const INSTANCE_NOTE = `${STATE_DIR}/instance.json`;

/** Sealed user data after their success, without their secrets; mode 0600. */
export const SEALED_KEPT = `${STATE_DIR}/sealed.json`;

/** Everything that support needs, collected after a final failure; mode 0600. */
export const SUPPORT_FILE = `${STATE_DIR}/support.tar.zst`;

/** Where the kernel offers a TPM whose slots it manages. */
export const TPM_PATH = '/dev/tpmrm0';
