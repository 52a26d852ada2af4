# The node works though nobody was told of it: kubeadm has not failed, and nothing has called it again or reset it.
told=$(slipway status)
has "$told" 'SentinelNotWritten'
has "$told" 'leave the node as it is'
told=$(cat /var/lib/slipway/journal.jsonl)
is "$(grep -c '"step.started","step":"kubeadm"' <<<"${told##*\"sequence.started\"}")" 1 'calls of kubeadm'
has_no "$(systemctl is-active kubelet)" inactive
umount /run/cluster-api
