/** A data directory of etcd that is not empty, as kubeadm's check and ours find it: its content may be all that a cluster has left. */
export const ETCD_DIRECTORY_REMEDY =
  'See what lies there. Where it is the mount point of a disk of its own (lost+found), let etcd.local.dataDir of the ClusterConfiguration name a directory below it. Remove the data of an earlier etcd (kubeadm reset -f) only if no cluster needs them any more.';
