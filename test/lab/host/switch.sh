#!/bin/bash
# The lab's switch: a bridge in a network namespace that lives as long as this process. Arguments: what to do when the
# owner is gone. Says "ready" on stdout. For a lab that belongs to a person (no arguments) it just stays.
set -eu
ip link set lo up
ip link add br0 type bridge
ip addr add "$GATEWAY/16" dev br0
ip link set br0 up
# Nobody listens there, and whoever asks is told so: a kubelet of 1.20 asks AWS's metadata service at each start, and waits six
# seconds where nobody says no.
ip addr add 169.254.169.254/32 dev lo
echo ready
exec >/dev/null 2>&1
[ $# -gt 0 ] || exec sleep infinity
# The owner holds the other end of this pipe; however it ends, the kernel closes it.
if read -r word && [ "$word" = closed ]; then exit 0; fi
exec "$@"
