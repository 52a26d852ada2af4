# The node works though nobody was told of it: kubeadm has not failed, and nothing has called it again or reset it.
told=$(slipway status)
has "$told" 'SentinelNotWritten'
has "$told" 'leave the node as it is'
# How often it was called until the API server answered is another matter.
done_at=$(grep -n '"step.ended","step":"kubeadm".*"result":"done"' /var/lib/slipway/journal.jsonl | tail -n 1 | cut -d: -f1)
told=$(tail -n "+$((done_at + 1))" /var/lib/slipway/journal.jsonl)
has "$told" '"step.started","step":"sentinel"'
has_no "$told" '"step.started","step":"kubeadm"'
has_no "$(systemctl is-active kubelet)" inactive
umount /run/cluster-api
