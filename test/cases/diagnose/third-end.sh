# systemd starts the kubelet again ten seconds after each end. The verdict fell into such a pause: nothing was waited for.
# What is collected for support comes after that, and may take as long as the pause.
verdict=$(grep '"type":"step.ended"' /var/lib/slipway/journal.jsonl | tail -n 1 | grep -o '"time":"[^"]*"' | cut -d '"' -f 4)
verdict=$(date -d "$verdict" +%s.%N)
journalctl -b -u kubelet -o short-unix --no-pager >/tmp/kubelet
last=$(awk -v verdict="$verdict" '$1 > verdict {exit} /Started / {last = "started"} /Main process exited/ {last = "ended"} END {print last}' /tmp/kubelet)
is "$last" ended 'what the kubelet did last before the verdict'
