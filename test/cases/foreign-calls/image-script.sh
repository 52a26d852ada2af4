#!/bin/sh -e
# A program that lies in the image: it joins where it is told what.
[ "$1" != nothing ] || exit 0
kubeadm join "$1" --token "$2" --discovery-token-ca-cert-hash "$3" --ignore-preflight-errors="$4"
