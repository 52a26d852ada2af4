#!/bin/sh -e
# A program that lies in the image: it joins where it is told what.
[ "$2" != nothing ] || exit 0
kubeadm join "$2" --token "$3" --discovery-token-ca-cert-hash "$4" --ignore-preflight-errors="$1"
