# One join begun, one gone on with, no reset in between.
joins=$(grep '^join ' /root/calls | grep -Ev -e '--help|slipway-asks')
is "$(wc -l <<<"$joins")" 2 'the number of joins'
# In later releases the phase that adds the member is one of its own.
has "$(sed -n 2p <<<"$joins")" '--skip-phases=preflight,.*kubelet-start.*(control-plane-join/etcd|,etcd-join)' 'the second join'
calls=$(cat /root/calls)
has_no "$calls" '^reset' 'the calls of kubeadm'
