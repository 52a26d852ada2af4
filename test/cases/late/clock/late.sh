#!/bin/bash -eu
# Swap is switched off after 20 seconds, forwarding is set after 40, the clock is right after 60.
case $1 in
break)
  mkdir /run/late
  printf 'Filename\tType\tSize\tUsed\tPriority\n/dev/vda2 partition 1048572 0 -2\n' >/run/late/swaps
  sysctl -qw net.ipv4.ip_forward=0
  mount --bind /run/late/swaps /proc/swaps
  ;;
mend)
  until [ -s /var/lib/slipway/journal.jsonl ]; do sleep 0.2; done
  sleep 20
  umount /proc/swaps
  sleep 20
  sysctl -qw net.ipv4.ip_forward=1
  sleep 20
  : >/run/late/synchronised
  ;;
esac
