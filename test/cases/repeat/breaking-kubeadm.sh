#!/bin/sh
# kubeadm whose first join breaks off: behind the etcd member as an API server that hiccups makes it ($BREAKS is "late"),
# or in the middle of adding it, without a word ("vanished").
echo "$*" >> /root/calls
case "$*" in *--help*|*slipway-asks*) exec /usr/bin/kubeadm "$@" ;; esac
if [ "$1" = join ] && [ ! -e /root/broken ]; then
  : > /root/broken
  case $BREAKS in
  late)
    skipped=control-plane-join/mark-control-plane
    # Only early releases have it, and the others refuse what they do not know.
    ! /usr/bin/kubeadm join --help | grep -q ' /update-status ' || skipped=control-plane-join/update-status,$skipped
    /usr/bin/kubeadm "$@" --skip-phases=$skipped || exit
    echo 'error execution phase control-plane-join/mark-control-plane: error applying control-plane label and taints: Get "https://10.99.1.10:6443/api/v1/nodes/cp2?timeout=10s": dial tcp 10.99.1.10:6443: connect: connection refused' >&2
    exit 1 ;;
  vanished)
    /usr/bin/kubeadm "$@" &
    until [ -e /etc/kubernetes/manifests/etcd.yaml ]; do sleep 0.1; done
    kill -9 $!
    exit 137 ;;
  esac
fi
exec /usr/bin/kubeadm "$@"
