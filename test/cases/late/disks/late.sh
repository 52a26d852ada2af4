#!/bin/bash -eu
# A disk comes after 20 seconds, the programs of a system extension after 60.
missed() { until grep -Eqs "$1" /var/lib/slipway/journal.jsonl; do sleep 0.2; done; }
case $1 in
break) mv /usr/bin/kubeadm /usr/bin/kubelet /opt ;;
mend)
  truncate -s 16M /var/lib/containerd/late.img
  mkfs.ext4 -q -L late /var/lib/containerd/late.img
  missed .
  sleep 20
  missed 'what finds and mounts the disks.*tried again'
  [ -e /dev/loop-control ] || mknod /dev/loop-control c 10 237
  for n in $(seq 0 63); do [ -e "/dev/loop$n" ] || mknod "/dev/loop$n" b 7 "$n"; done
  loop=$(losetup --find --show /var/lib/containerd/late.img)
  sleep 40
  missed 'what brings programs.*tried again'
  mv /opt/kubeadm /opt/kubelet /usr/bin
  # It goes with its mount.
  losetup --detach "$loop"
  ;;
esac
