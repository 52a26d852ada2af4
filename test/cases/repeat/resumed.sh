# One join begun, one gone on with, no reset in between.
joins=$(grep '^join ' /root/calls | grep -Ev -e '--help|slipway-asks')
is "$(wc -l <<<"$joins")" 2 'the number of joins'
has "$(sed -n 2p <<<"$joins")" '--skip-phases=preflight,.*kubelet-start.*control-plane-join/etcd' 'the second join'
calls=$(cat /root/calls)
has_no "$calls" '^reset' 'the calls of kubeadm'
