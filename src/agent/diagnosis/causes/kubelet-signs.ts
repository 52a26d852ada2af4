/** The lines by which a kubelet is followed from its start on. */

/** systemd's line at the end of a service's main process that was not asked for, or where it did not come so far as to start one. */
export const KUBELET_ENDED =
  /^kubelet\.service: (?:(?:main|control) process exited, code=(\w+), status=(\S+)|Failed to load environment files)/i;

/** kubeadm's sentence from 1.20 to 1.36; what the kubelet did before it was without kubeadm's files and means nothing. */
export const KUBELET_STARTED = /^\[kubelet-start\] Starting the kubelet/;
