#!/bin/bash -eu
# Swap is switched off after 20 seconds, forwarding is set after 40, the clock is right after 60.
missed() { until grep -Eqs "$1" /var/lib/slipway/journal.jsonl; do sleep 0.2; done; }
case $1 in
break)
  mkdir /run/late
  printf 'Filename\tType\tSize\tUsed\tPriority\n/dev/vda2 partition 1048572 0 -2\n' >/run/late/swaps
  sysctl -qw net.ipv4.ip_forward=0
  mount --bind /run/late/swaps /proc/swaps
  ;;
mend)
  missed .
  sleep 20
  umount /proc/swaps
  sleep 20
  missed 'what sets up the kernel.*tried again'
  sysctl -qw net.ipv4.ip_forward=1
  sleep 20
  missed 'CertificateInvalid|ClockWrong'
  : >/run/late/synchronised
  ;;
esac
