#!/bin/bash
# Keeps one machine of the lab: boots it, boots it again when it asks for a reboot, ends when it is switched off.
# Runs outside the machine. Argument: the machine's directory. What it leaves there for others to read:
#   state     booting | running | off | failed      boot-count  how often it was booted
#   boot-id   this boot's id, as the machine sees it  init.pid  the host's number of the machine's PID 1
# `desired` is written by others: with "off" in it, a killed init is not started again.
set -u
export MACHINE=$1 LAB_DIR=${BASH_SOURCE[0]%/*}
cd "$MACHINE" || exit 1
read -ra stat < /proc/self/stat # bash itself: no word of its name has a space
. ./settings

put() { printf '%s\n' "$2" > "$1.new" && mv "$1.new" "$1"; }

each_group() { printf '%s\n' "$GROUPS_OF_MACHINE"; }

put supervisor "$$ ${stat[21]}"

while :; do
  rm -f init.pid
  # The last boot's groups would be found by the next as if it had made them itself.
  each_group | while read -r group; do find "$group" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null; done
  put boot-id "$(cat /proc/sys/kernel/random/uuid)"
  put boot-count $(($(cat boot-count 2>/dev/null || echo 0) + 1))
  put state booting
  # `script` gives the machine a terminal as its console and keeps what is said there.
  SHELL=/bin/sh script --quiet --flush --return --append \
    --command 'exec unshare --mount --pid --uts --ipc --net --fork --propagation private bash --norc "$LAB_DIR/machine-init.sh"' \
    console.log </dev/null >/dev/null 2>&1 &
  wait $!
  status=$?
  rm -f init.pid
  # How a PID namespace ends tells what its init asked for (pid_namespaces(7)): SIGHUP to restart, SIGINT to halt.
  # Any other end of a machine that ran is the power going, which it comes back from unless it is to be off.
  case $status-$(cat state) in
    129-*) ;;
    130-*) put state off; exit 0 ;;
    *-running) [ "$(cat desired)" = on ] || { put state off; exit 0; } ;;
    *) put state failed; echo "the machine did not come up: status $status" >> console.log; exit 1 ;;
  esac
done
