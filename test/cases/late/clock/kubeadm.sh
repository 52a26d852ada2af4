#!/bin/bash
# kubeadm is no program that a clock of its own can be given to, so this says what it says where the clock is behind.
if [ "$1" = join ] && [ ! -e /run/late/synchronised ]; then
  echo '[preflight] Running pre-flight checks'
  echo "error execution phase preflight: couldn't validate the identity of the API Server: Get \"https://10.99.0.1:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s\": x509: certificate has expired or is not yet valid: current time 2025-11-22T00:00:00Z is before 2026-11-20T00:00:00Z" >&2
  exit 1
fi
exec /usr/bin/kubeadm "$@"
