# systemd starts the kubelet again ten seconds after each end. The verdict fell into such a pause: nothing was waited for.
verdict=$(stat -c %.Y /run/slipway/outcome.json)
journalctl -b -u kubelet -o short-unix --no-pager >/tmp/kubelet
last=$(awk -v verdict="$verdict" '$1 > verdict {exit} /Started / {last = "started"} /Main process exited/ {last = "ended"} END {print last}' /tmp/kubelet)
is "$last" ended 'what the kubelet did last before the verdict'
