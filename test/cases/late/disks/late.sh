#!/bin/bash -eu
# A disk comes after 20 seconds, the programs of a system extension after 60.
case $1 in
break) mv /usr/bin/kubeadm /usr/bin/kubelet /opt ;;
mend)
  truncate -s 16M /var/lib/containerd/late.img
  mkfs.ext4 -q -L late /var/lib/containerd/late.img
  until [ -s /var/lib/slipway/journal.jsonl ]; do sleep 0.2; done
  sleep 20
  [ -e /dev/loop-control ] || mknod /dev/loop-control c 10 237
  for n in $(seq 0 63); do [ -e "/dev/loop$n" ] || mknod "/dev/loop$n" b 7 "$n"; done
  loop=$(losetup --find --show /var/lib/containerd/late.img)
  sleep 40
  mv /opt/kubeadm /opt/kubelet /usr/bin
  # It goes with its mount.
  losetup --detach "$loop"
  ;;
esac
